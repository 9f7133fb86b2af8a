import type { KeyRecord, KeyUse } from './records.ts'

type Ends = Pick<KeyRecord, 'expiresAt' | 'retiresAt'>
type Life = Ends & Pick<KeyRecord, 'revokedAt' | 'pausedAt'>

/** When a key stops by itself: at its expiry, or at the end of its rotation's overlap if that is earlier. */
export const endOf = ({ expiresAt, retiresAt }: Ends): string | null =>
  expiresAt === null || (retiresAt !== null && retiresAt < expiresAt) ? retiresAt : expiresAt

/** What admission judges a key by. The database asks the same in SQL; a test holds the two together. */
export function lifeOf(key: Life, nowMs: number): 'live' | 'paused' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked'
  const end = endOf(key)
  if (end !== null && Date.parse(end) <= nowMs) return 'expired'
  return key.pausedAt === null ? 'live' : 'paused'
}

/** Whether it can still be used, now or once it is resumed. */
export const isOpen = (key: Life, nowMs: number): boolean => ['live', 'paused'].includes(lifeOf(key, nowMs))

export const EXPIRING_MS = 14 * 86_400_000

/** Whether a key that still works stops within two weeks. */
export function isExpiring(key: Life, nowMs: number): boolean {
  const end = endOf(key)
  return lifeOf(key, nowMs) === 'live' && end !== null && Date.parse(end) - nowMs <= EXPIRING_MS
}

/** What people should know of a key. */
export type KeyState =
  | { kind: 'live' }
  /** Ends within two weeks, and has no successor. */
  | { kind: 'expiring' }
  /** Has a successor, and works until `until`. `stillUsed`: it was used since the successor was created. */
  | { kind: 'rotating'; until: string; stillUsed: boolean; successor: Successor }
  /** Refused like a revoked key until it is resumed. */
  | { kind: 'paused'; at: string }
  | { kind: 'expired' }
  | { kind: 'revoked'; at: string }

interface Successor {
  id: string
  label: string
  /** False once it has ended: then the rotation should be cancelled, or the old key rotated again. */
  works: boolean
}

/** The keys that replace others, so that a successor is found without a search through all keys. */
export type Replacements = ReadonlyMap<string | null, KeyRecord[]>

/** Of the keys of a workspace, which are in the order of their creation; the newest replacement first. */
export const replacementsAmong = (keys: readonly KeyRecord[]): Replacements =>
  Map.groupBy(
    keys.toReversed().filter(({ replaces }) => replaces !== null),
    ({ replaces }) => replaces,
  )

/** All keys that came of a key's rotation, and of theirs; the key's own replacements first. It does not look behind those that `isEnd` names. */
export function successorsOf(
  { id }: Pick<KeyRecord, 'id'>,
  replacements: Replacements,
  isEnd: (successor: KeyRecord) => boolean = () => false,
): KeyRecord[] {
  const found = new Map<string, KeyRecord>()
  const waiting = [id]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    for (const key of replacements.get(next) ?? []) {
      // Someone who writes the table directly can create a circle.
      if (found.has(key.id) || key.id === id) continue
      found.set(key.id, key)
      if (!isEnd(key)) waiting.push(key.id)
    }
  return [...found.values()]
}

/** The newest of the next successors that have not ended, or else the newest replacement of the key itself. */
export function successorOf(
  key: Pick<KeyRecord, 'id'>,
  replacements: Replacements,
  nowMs: number,
): KeyRecord | undefined {
  const successors = successorsOf(key, replacements, (each) => isOpen(each, nowMs))
  const open = successors.filter((each) => isOpen(each, nowMs))
  return open.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0] ?? successors[0]
}

export function stateOf(key: KeyRecord & KeyUse, replacements: Replacements, nowMs: number): KeyState {
  const { revokedAt, pausedAt, lastUsedAt } = key
  if (revokedAt !== null) return { kind: 'revoked', at: revokedAt }
  if (lifeOf(key, nowMs) === 'expired') return { kind: 'expired' }
  if (pausedAt !== null) return { kind: 'paused', at: pausedAt }
  const successor = successorOf(key, replacements, nowMs)
  const until = endOf(key)
  if (successor !== undefined && until !== null && isRotating(key, replacements, nowMs)) {
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

/** Before keys had `retiresAt`, a rotation shortened the expiry: such a key rotates as long as one that came of it is there. */
export const isRotating = (key: KeyRecord, replacements: Replacements, nowMs: number): boolean =>
  key.retiresAt !== null || successorsOf(key, replacements).some((each) => isOpen(each, nowMs))

export const hasEnded = ({ state }: { state: KeyState }): boolean =>
  state.kind === 'expired' || state.kind === 'revoked'
