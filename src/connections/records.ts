import { countFrom, insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'

interface TokenRecord {
  hash: string
  keyId: string
  /** A code is stored only after its use, to detect a second one. Its hash includes the client and the verifier. */
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
): Promise<void> {
  await tx.run(
    `DELETE FROM connection_tokens WHERE hash IN
       (SELECT hash FROM connection_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ...[isoOf(tx.nowMs), MAX_DELETED_AT_ONCE],
  )
  for (const token of tokens) await insertRow(tx, 'connection_tokens', token)
}

/** Counts those that expire after the given time. */
export const countRefreshTokens = (tx: Transaction, keyId: string, expireAfter: string): Promise<number> =>
  countFrom(tx, `connection_tokens WHERE key_id = ? AND kind = 'refresh' AND expires_at > ?`, keyId, expireAfter)

export async function findToken(tx: Transaction, hash: string): Promise<TokenRecord | undefined> {
  const [token] = await tx.all<TokenRecord>(
    `SELECT hash, key_id AS "keyId", kind, expires_at AS "expiresAt", replaced_at AS "replacedAt", salt
     FROM connection_tokens WHERE hash = ? AND expires_at > ?`,
    ...[hash, isoOf(tx.nowMs)],
  )
  return token
}

/** Forgets the salts of the connection's earlier tokens, so that the next ones cannot be derived from a stolen old one. */
export async function replaceToken(tx: Transaction, { hash, keyId }: TokenRecord, salt: string, forgetBefore: string) {
  const forget = 'UPDATE connection_tokens SET salt = NULL WHERE key_id = ? AND salt IS NOT NULL AND replaced_at < ?'
  await tx.run(forget, keyId, forgetBefore)
  await tx.run('UPDATE connection_tokens SET replaced_at = ?, salt = ? WHERE hash = ?', isoOf(tx.nowMs), salt, hash)
}
