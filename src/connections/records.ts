import type { Transaction } from '../database/store.ts'

interface TokenRecord {
  hash: string
  keyId: string
  /** A code is stored only after its use, to notice a second one. */
  kind: 'code' | 'access' | 'refresh'
  expiresAt: string
  /** Both are null until a refresh token has been exchanged for the next. */
  replacedAt: string | null
  salt: string | null
}

/** Few enough that a refresh stays quick, and more than it adds. */
const MAX_DELETED_AT_ONCE = 100

/** Each caller deletes some expired tokens, so that the table stays small without a timer. */
export async function insertTokens(
  tx: Transaction,
  tokens: Pick<TokenRecord, 'hash' | 'keyId' | 'kind' | 'expiresAt'>[],
  now: string,
): Promise<void> {
  await tx.run(
    `DELETE FROM connection_tokens WHERE hash IN
       (SELECT hash FROM connection_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ...[now, MAX_DELETED_AT_ONCE],
  )
  for (const { hash, keyId, kind, expiresAt } of tokens)
    await tx.run(
      'INSERT INTO connection_tokens (hash, key_id, kind, expires_at) VALUES (?, ?, ?, ?)',
      ...[hash, keyId, kind, expiresAt],
    )
}

/** Counts those that expire after the given time. */
export async function countRefreshTokens(tx: Transaction, keyId: string, expireAfter: string): Promise<number> {
  const [row] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM connection_tokens WHERE key_id = ? AND kind = 'refresh' AND expires_at > ?`,
    ...[keyId, expireAfter],
  )
  return row?.n ?? 0
}

export async function findToken(tx: Transaction, hash: string, now: string): Promise<TokenRecord | undefined> {
  const [found] = await tx.all<TokenRecord>(
    `SELECT hash, key_id AS "keyId", kind, expires_at AS "expiresAt", replaced_at AS "replacedAt", salt
     FROM connection_tokens WHERE hash = ? AND expires_at > ?`,
    ...[hash, now],
  )
  return found
}

/** Forgets the salts of the connection's earlier tokens, so that the next ones cannot be derived from a stolen old one. */
export async function replaceToken(
  tx: Transaction,
  { hash, keyId }: TokenRecord,
  salt: string,
  now: string,
  forgetBefore: string,
): Promise<void> {
  await tx.run(
    'UPDATE connection_tokens SET salt = NULL WHERE key_id = ? AND salt IS NOT NULL AND replaced_at < ?',
    ...[keyId, forgetBefore],
  )
  await tx.run('UPDATE connection_tokens SET replaced_at = ?, salt = ? WHERE hash = ?', now, salt, hash)
}

/** Happens at most once to a key, which is revoked in the same transaction. */
export async function insertReuse(
  tx: Transaction,
  { keyId, day, at, client }: { keyId: string; day: string; at: string; client: string | null },
): Promise<void> {
  await tx.run(
    `INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at, client) VALUES (?, ?, 'reused', 1, ?, ?, ?)`,
    ...[keyId, day, at, at, client],
  )
}
