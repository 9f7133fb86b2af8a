import { DAY_MS } from '../lib/duration.ts'
import type { KeyRecord } from './records.ts'

type Ends = Pick<KeyRecord, 'expiresAt' | 'retiresAt'>
type Life = Ends & Pick<KeyRecord, 'revokedAt' | 'pausedAt'>

export const endOf = ({ expiresAt, retiresAt }: Ends): string | null =>
  expiresAt === null || (retiresAt !== null && retiresAt < expiresAt) ? retiresAt : expiresAt

/** The same rule exists in SQL, and a test compares the two. */
export function lifeOf(key: Life, nowMs: number): 'live' | 'paused' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked'
  const end = endOf(key)
  if (end !== null && Date.parse(end) <= nowMs) return 'expired'
  return key.pausedAt === null ? 'live' : 'paused'
}

export const isOpen = (key: Life, nowMs: number): boolean => ['live', 'paused'].includes(lifeOf(key, nowMs))

export const EXPIRING_MS = 14 * DAY_MS

export function isExpiring(key: Life, nowMs: number): boolean {
  const end = endOf(key)
  return lifeOf(key, nowMs) === 'live' && end !== null && Date.parse(end) - nowMs <= EXPIRING_MS
}

export type KeyState =
  | { kind: 'live' }
  /** Ends within two weeks, and has no successor. */
  | { kind: 'expiring' }
  /** `stillUsed`: the old key was used after the successor was created. */
  | { kind: 'rotating'; until: string; stillUsed: boolean; successor: Successor }
  | { kind: 'paused'; at: string }
  | { kind: 'expired' }
  | { kind: 'revoked'; at: string }

interface Successor {
  id: string
  label: string
  /** False once the successor has ended. Then cancel the rotation, or rotate the old key again. */
  works: boolean
}

/** Keyed by the id of the replaced key. */
export type Replacements = ReadonlyMap<string | null, KeyRecord[]>

/** Expects the keys in order of creation, and lists the newest replacement first. */
export const replacementsAmong = (keys: readonly KeyRecord[]): Replacements =>
  Map.groupBy(
    keys.toReversed().filter(({ replaces }) => replaces !== null),
    ({ replaces }) => replaces,
  )

/** Direct and indirect successors, direct ones first. Does not look beyond those for which `isEnd` is true. */
export function successorsOf(
  { id }: Pick<KeyRecord, 'id'>,
  replacements: Replacements,
  isEnd: (successor: KeyRecord) => boolean = () => false,
): KeyRecord[] {
  const successors = new Map<string, KeyRecord>()
  const waiting = [id]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    for (const key of replacements.get(next) ?? []) {
      // A direct write to the table can create a cycle.
      if (successors.has(key.id) || key.id === id) continue
      successors.set(key.id, key)
      if (!isEnd(key)) waiting.push(key.id)
    }
  return [...successors.values()]
}

/** The newest of the nearest successors that have not ended, or else the newest direct replacement. */
export function successorOf(key: Pick<KeyRecord, 'id'>, replacements: Replacements, nowMs: number) {
  const successors = successorsOf(key, replacements, (each) => isOpen(each, nowMs))
  const open = successors.filter((each) => isOpen(each, nowMs))
  return open.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0] ?? successors[0]
}

export function stateOf(key: KeyRecord, replacements: Replacements, nowMs: number): KeyState {
  const { revokedAt, pausedAt, lastUsedAt } = key
  if (revokedAt !== null) return { kind: 'revoked', at: revokedAt }
  if (lifeOf(key, nowMs) === 'expired') return { kind: 'expired' }
  if (pausedAt !== null) return { kind: 'paused', at: pausedAt }
  const successor = successorOf(key, replacements, nowMs)
  const until = endOf(key)
  if (successor !== undefined && until !== null && key.retiresAt !== null) {
    const { id, label } = successor
    return {
      kind: 'rotating',
      until,
      stillUsed: lastUsedAt !== null && lastUsedAt > successor.createdAt,
      successor: { id, label, works: isOpen(successor, nowMs) },
    }
  }
  return { kind: isExpiring(key, nowMs) ? 'expiring' : 'live' }
}

export const hasEnded = ({ state }: { state: KeyState }): boolean =>
  state.kind === 'expired' || state.kind === 'revoked'
