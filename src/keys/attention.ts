import type { Transaction } from '../database/store.ts'
import { lastIncidents, warningKinds } from './history.ts'
import { type KeyRecord, type KeyUse, listKeys } from './records.ts'
import {
  endOf,
  isExpiring,
  type KeyState,
  lifeOf,
  type Replacements,
  replacementsAmong,
  stateOf,
  successorsOf,
} from './state.ts'

/** Why a person should look at a key, the most urgent first. */
export const attentionKinds = ['leaked', 'expiring', 'unused', 'never_expires', 'rotation_unfinished'] as const
export type AttentionKind = (typeof attentionKinds)[number]

const UNUSED_MS = 30 * 86_400_000

export interface AttentionInput {
  key: KeyRecord & KeyUse
  state: KeyState
  replacements: Replacements
  /** It was seen where keys must not be. */
  wasSeen: boolean
  nowMs: number
}

/** Nothing for a key that has ended. One that is paused cannot be misused, but a leak is not undone by resuming it. */
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
    never_expires: () => endOf(key) === null,
    rotation_unfinished: () => state.kind === 'rotating' && (state.stillUsed || !state.successor.works),
  }
  return attentionKinds.filter((kind) => applies[kind]())
}

/** A key, with what people should know of it. */
export interface JudgedKey {
  key: KeyRecord & KeyUse
  state: KeyState
  attention: AttentionKind[]
}

/** Every key of a workspace, in the order of their creation. */
export async function judgeKeys(
  tx: Transaction,
  workspaceId: string,
  nowMs: number,
): Promise<{ judged: JudgedKey[]; replacements: Replacements }> {
  const keys = await listKeys(tx, workspaceId)
  const replacements = replacementsAmong(keys)
  const seen = new Set((await lastIncidents(tx, { workspaceId }, warningKinds)).map(({ keyId }) => keyId))
  const judged = keys.map((key) => {
    const state = stateOf(key, replacements, nowMs)
    return { key, state, attention: attentionOf({ key, state, replacements, wasSeen: seen.has(key.id), nowMs }) }
  })
  return { judged, replacements }
}

/** The keys of a workspace that need attention, in the order of their creation. */
export async function listAttention(
  tx: Transaction,
  workspaceId: string,
  nowMs: number,
): Promise<{ key: KeyRecord; needs: AttentionKind[] }[]> {
  const { judged } = await judgeKeys(tx, workspaceId, nowMs)
  return judged.flatMap(({ key, attention }) => (attention.length === 0 ? [] : [{ key, needs: attention }]))
}
