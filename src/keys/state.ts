import type { KeyRecord, KeyUse } from './records.ts'

/** What admission judges a key by. The database asks the same in SQL; a test holds the two together. */
export function lifeOf(
  { revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>,
  nowMs: number,
): 'live' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'live'
}

const EXPIRING_MS = 14 * 86_400_000

/** Whether a key that still works stops within two weeks. */
export const isExpiring = (key: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, nowMs: number): boolean =>
  lifeOf(key, nowMs) === 'live' && key.expiresAt !== null && Date.parse(key.expiresAt) - nowMs <= EXPIRING_MS

/** What people should know of a key. */
export type KeyState =
  | { kind: 'live' }
  /** Ends within two weeks, and has no successor. */
  | { kind: 'expiring' }
  /** Has a successor, and works until `until`. `stillUsed`: it was used since the successor was created. */
  | { kind: 'rotating'; until: string; stillUsed: boolean }
  | { kind: 'expired' }
  | { kind: 'revoked'; at: string }

export function stateOf(key: KeyRecord & KeyUse, successor: KeyRecord | undefined, nowMs: number): KeyState {
  const { revokedAt, expiresAt, lastUsedAt } = key
  if (revokedAt !== null) return { kind: 'revoked', at: revokedAt }
  if (lifeOf(key, nowMs) === 'expired') return { kind: 'expired' }
  if (successor !== undefined && expiresAt !== null)
    return {
      kind: 'rotating',
      until: expiresAt,
      stillUsed: lastUsedAt !== null && lastUsedAt > successor.createdAt,
    }
  return { kind: isExpiring(key, nowMs) ? 'expiring' : 'live' }
}

export const hasEnded = ({ state }: { state: KeyState }): boolean =>
  state.kind === 'expired' || state.kind === 'revoked'
