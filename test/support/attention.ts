import { type AttentionKind, attentionKinds } from '../../src/keys/evaluate.ts'
import type { KeyRecord, KeyUse } from '../../src/keys/records.ts'
import { isExpiring, type KeyState, lifeOf, type Replacements, successorsOf } from '../../src/keys/state.ts'

const UNUSED_MS = 30 * 86_400_000

interface AttentionInput {
  key: KeyRecord & KeyUse
  state: KeyState
  replacements: Replacements
  /** It was seen where keys must not be. */
  wasSeen: boolean
  nowMs: number
}

/** Why a key needs attention by definition, to compare with what the database finds. One that is paused cannot be misused, but a leak is not undone by resuming it. */
export function attentionOf({ key, state, replacements, wasSeen, nowMs }: AttentionInput): AttentionKind[] {
  const life = lifeOf(key, nowMs)
  if (life === 'paused') return wasSeen ? ['leaked'] : []
  if (life !== 'live') return []
  const isSucceeded = () => successorsOf(key, replacements).some((each) => lifeOf(each, nowMs) === 'live')
  const since = (at: string) => nowMs - Date.parse(at)
  const applies: Record<AttentionKind, () => boolean> = {
    leaked: () => wasSeen,
    expiring: () => isExpiring(key, nowMs) && !isSucceeded(),
    unused: () => since(key.createdAt) > UNUSED_MS && (key.lastUsedAt === null || since(key.lastUsedAt) > UNUSED_MS),
    rotation_unfinished: () => state.kind === 'rotating' && (state.stillUsed || !state.successor.works),
  }
  return attentionKinds.filter((kind) => applies[kind]())
}
