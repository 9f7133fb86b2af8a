import { parsePermissions, type QuotaColumns, quotaOf } from '../database/key-row.ts'
import type { Quota, SqlValue, Transaction } from '../database/store.ts'
import { hashToken, isToken } from './token.ts'

export interface KeyRecord {
  id: string
  workspaceId: string
  /** The first characters: `vtr_8fK2aQ`. */
  prefix: string
  label: string
  permissions: string[]
  /** Null: the default limit. */
  quota: Quota | null
  createdBy: string
  createdAt: string
  expiresAt: string | null
  /** When its rotation ends it, if it is being rotated. */
  retiresAt: string | null
  /** Since when it is paused, if it is. */
  pausedAt: string | null
  revokedAt: string | null
  /** The key that this one took over from, if it came of a rotation. */
  replaces: string | null
}

export interface KeyUse {
  lastUsedAt: string | null
}

/** In the order of their creation. */
export async function listKeys(tx: Transaction, workspaceId: string): Promise<(KeyRecord & KeyUse)[]> {
  const rows = await tx.all<KeyRow>(`${KEYS} WHERE workspace_id = ? ORDER BY created_at, id`, workspaceId)
  return rows.map(toKey)
}

/** Of the keys of all workspaces that exist: what their life depends on. */
export const everyKeyLife = (
  tx: Transaction,
): AsyncIterable<Pick<KeyRecord, 'id' | 'expiresAt' | 'retiresAt' | 'pausedAt' | 'revokedAt'>[]> =>
  tx.pages(`SELECT id, expires_at AS "expiresAt", retires_at AS "retiresAt", paused_at AS "pausedAt", revoked_at AS "revokedAt"
            FROM api_keys WHERE workspace_id IN (SELECT id FROM workspaces) ORDER BY workspace_id, created_at, id`)

export async function findKey(tx: Transaction, id: string): Promise<(KeyRecord & KeyUse) | undefined> {
  const [row] = await tx.all<KeyRow>(`${KEYS} WHERE id = ?`, id)
  return row && toKey(row)
}

/** By the key itself, of which only the hash is stored; undefined if it belongs to another workspace. */
export async function findKeyByToken(
  tx: Transaction,
  workspaceId: string,
  token: string,
): Promise<(KeyRecord & KeyUse) | undefined> {
  if (!isToken(token)) return undefined
  const [row] = await tx.all<KeyRow>(`${KEYS} WHERE hash = ? AND workspace_id = ?`, hashToken(token), workspaceId)
  return row && toKey(row)
}

/** By the hash of the key, of any workspace. */
export async function findKeyByHash(tx: Transaction, hash: string): Promise<(KeyRecord & KeyUse) | undefined> {
  const [row] = await tx.all<KeyRow>(`${KEYS} WHERE hash = ?`, hash)
  return row && toKey(row)
}

/**
 * Locks the key's row until the transaction ends, so that of two replicas the later sees what the earlier has done. It is
 * an update that changes nothing: SQLite has no other lock on a row, and needs none.
 */
export async function lockKey(tx: Transaction, id: string): Promise<void> {
  await tx.run('UPDATE api_keys SET label = label WHERE id = ?', id)
}

export async function insertKey(tx: Transaction, key: KeyRecord, hash: string): Promise<void> {
  const { quota } = key
  await tx.run(
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds,
                           created_by, created_at, expires_at, retires_at, paused_at, revoked_at, replaces)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[key.id, key.workspaceId, hash, key.prefix, key.label, key.permissions.join(',')],
    ...[quota?.limit ?? null, quota?.windowSeconds ?? null],
    ...[key.createdBy, key.createdAt, key.expiresAt, key.retiresAt, key.pausedAt, key.revokedAt, key.replaces],
  )
}

/** What can be changed of a key. */
type KeyColumns = Partial<Pick<KeyRecord, 'label' | 'quota' | 'expiresAt' | 'retiresAt' | 'pausedAt' | 'revokedAt'>>

const changeable = {
  label: 'label',
  expiresAt: 'expires_at',
  retiresAt: 'retires_at',
  pausedAt: 'paused_at',
  revokedAt: 'revoked_at',
} as const

export async function updateKey(tx: Transaction, id: string, { quota, ...changes }: KeyColumns): Promise<void> {
  const columns: [name: string, value: SqlValue][] = Object.entries(changes).map(([field, value]) => [
    ...([changeable[field as keyof typeof changeable], value] as const),
  ])
  if (quota !== undefined)
    columns.push(['rate_limit', quota?.limit ?? null], ['rate_window_seconds', quota?.windowSeconds ?? null])
  await tx.run(
    `UPDATE api_keys SET ${columns.map(([name]) => `${name} = ?`).join(', ')} WHERE id = ?`,
    ...[...columns.map(([, value]) => value), id],
  )
}

/** The last use is on the last day, or just before it if the workspace was moved to another timezone since. */
const LAST_DAYS = 3

const KEYS = `
  SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, retires_at, paused_at, revoked_at, replaces,
         (SELECT max(last_at) FROM (
            SELECT last_at FROM key_use WHERE key_id = api_keys.id ORDER BY day DESC LIMIT ${LAST_DAYS}
          ) AS last_days) AS last_used_at
  FROM api_keys`

interface KeyRow extends QuotaColumns {
  id: string
  workspace_id: string
  prefix: string
  label: string
  permissions: string
  created_by: string
  created_at: string
  expires_at: string | null
  retires_at: string | null
  paused_at: string | null
  revoked_at: string | null
  replaces: string | null
  last_used_at: string | null
}

const toKey = (row: KeyRow): KeyRecord & KeyUse => ({
  id: row.id,
  workspaceId: row.workspace_id,
  prefix: row.prefix,
  label: row.label,
  permissions: parsePermissions(row.permissions),
  quota: quotaOf(row),
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  retiresAt: row.retires_at,
  pausedAt: row.paused_at,
  revokedAt: row.revoked_at,
  replaces: row.replaces,
  lastUsedAt: row.last_used_at,
})
