import { parsePermissions, type QuotaColumns, quotaOf } from '../database/key-row.ts'
import type { Quota, Transaction } from '../database/store.ts'

export interface KeyRecord {
  id: string
  workspaceId: string
  prefix: string
  label: string
  permissions: string[]
  quota: Quota | null
  createdBy: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** The key that this one took over from, if it came of a rotation. */
  replaces: string | null
}

export interface KeyUse {
  lastUsedAt: string | null
  useCount: number
}

/** In the order of their creation. */
export async function listKeys(tx: Transaction, workspaceId: string): Promise<(KeyRecord & KeyUse)[]> {
  const rows = await tx.all<KeyRow>(`${KEYS} WHERE workspace_id = ? ORDER BY created_at, id`, workspaceId)
  return rows.map(toKey)
}

export async function findKey(tx: Transaction, id: string): Promise<(KeyRecord & KeyUse) | undefined> {
  const [row] = await tx.all<KeyRow>(`${KEYS} WHERE id = ?`, id)
  return row && toKey(row)
}

export async function insertKey(tx: Transaction, key: KeyRecord, hash: string): Promise<void> {
  const { quota } = key
  await tx.run(
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds,
                           created_by, created_at, expires_at, revoked_at, replaces)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[key.id, key.workspaceId, hash, key.prefix, key.label, key.permissions.join(',')],
    ...[quota?.limit ?? null, quota?.windowSeconds ?? null],
    ...[key.createdBy, key.createdAt, key.expiresAt, key.revokedAt, key.replaces],
  )
}

/** False if it was revoked before. */
export async function revokeKey(tx: Transaction, id: string, revokedAt: string): Promise<boolean> {
  const revoked = await tx.run(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
    ...[revokedAt, id],
  )
  return revoked === 1
}

export async function expireKey(tx: Transaction, id: string, expiresAt: string): Promise<void> {
  await tx.run('UPDATE api_keys SET expires_at = ? WHERE id = ?', expiresAt, id)
}

const KEYS = `
  SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, revoked_at, replaces,
         (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id) AS last_used_at,
         (SELECT coalesce(sum(count), 0) FROM key_use WHERE key_id = api_keys.id) AS use_count
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
  revoked_at: string | null
  replaces: string | null
  last_used_at: string | null
  use_count: number
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
  revokedAt: row.revoked_at,
  replaces: row.replaces,
  lastUsedAt: row.last_used_at,
  useCount: row.use_count,
})
