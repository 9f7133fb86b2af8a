import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { hashToken } from '../lib/key-format.ts'
import { findWorkspaceById } from '../workspaces/records.ts'
import { findKeyByHash, type KeyRecord } from './records.ts'
import { lifeOf } from './state.ts'

/** Whose a token is. Undefined if it belongs to another instance, or to a key that was purged. */
export async function identifyToken(tx: Transaction, token: string) {
  const hash = hashToken(token)
  const key = await findKeyByHash(tx, hash)
  if (key === undefined) return undefined
  const { id, label, workspaceId, lastUsedAt } = key
  const workspace = (await findWorkspaceById(tx, workspaceId))?.slug ?? workspaceId
  return { state: await stateOfToken(tx, key, hash), id, label, workspace, lastUsedAt }
}

/** A connection's tokens expire, each by itself, while the connection continues. */
async function stateOfToken(tx: Transaction, key: KeyRecord, hash: string) {
  const life = lifeOf(key, tx.nowMs)
  if (key.client === null || life === 'revoked') return life
  const expired = 'SELECT 1 FROM connection_tokens WHERE hash = ? AND expires_at <= ?'
  return (await tx.all(expired, hash, isoOf(tx.nowMs))).length > 0 ? 'expired' : life
}
