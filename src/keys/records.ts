import {
  parsePermissions,
  type Quota,
  type QuotaColumns,
  quotaOf,
  type SqlValue,
  type Transaction,
} from '../database/store.ts'
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

/**
 * Given keys `k` of a workspace, in SQL; the parameters are the ids, then the workspace. The concatenation keeps SQLite from reading
 * all keys of the workspace by its index instead.
 */
export const givenKeys = (ids: readonly string[]): string =>
  `k.id IN (${ids.map(() => '?').join(', ')}) AND k.workspace_id || '' = ?`

/** Given keys, as far as they are the workspace's, in the order of their creation. */
export async function findKeys(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<(KeyRecord & KeyUse)[]> {
  if (ids.length === 0) return []
  const rows = await tx.all<KeyRow>(`${KEYS} WHERE ${givenKeys(ids)} ORDER BY created_at, id`, ...[...ids, workspaceId])
  return rows.map(toKey)
}

/** A key that is rotated every day for years has more; what a page shows of them is bounded. */
const MAX_SHOWN_LINE = 1000

/** The keys that came of the rotations of given ones, and of theirs, in the order of their creation. */
export async function keysAfter(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
  { most = MAX_SHOWN_LINE } = {},
): Promise<KeyRecord[]> {
  if (ids.length === 0) return []
  const rows = await tx.all<KeyRow>(
    `WITH RECURSIVE line (id) AS (
       SELECT id FROM api_keys WHERE workspace_id = ? AND replaces IN (${ids.map(() => '?').join(', ')})
       UNION SELECT k.id FROM line CROSS JOIN api_keys k WHERE k.replaces = line.id AND k.workspace_id = ?)
     ${KEYS} WHERE id IN (SELECT id FROM line LIMIT ?) ORDER BY created_at, id`,
    ...[workspaceId, ...ids, workspaceId, most],
  )
  return rows.map(toKey)
}

/** What people know a key by. */
type KeyName = Pick<KeyRecord, 'id' | 'label' | 'prefix'>

export const keyNames = async (tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<KeyName[]> =>
  ids.length === 0
    ? []
    : tx.all(`SELECT k.id, k.label, k.prefix FROM api_keys k WHERE ${givenKeys(ids)}`, ...[...ids, workspaceId])

/** The newest first. */
export const newestKeyNames = (tx: Transaction, workspaceId: string, limit: number): Promise<KeyName[]> =>
  tx.all(
    'SELECT id, label, prefix FROM api_keys WHERE workspace_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
    ...[workspaceId, limit],
  )

/** How many can be used, now or once they are resumed. */
export async function countOpenKeys(tx: Transaction, workspaceId: string, nowMs: number): Promise<number> {
  const now = new Date(nowMs).toISOString()
  const [row] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM api_keys WHERE workspace_id = ? AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > ?) AND (retires_at IS NULL OR retires_at > ?)`,
    ...[workspaceId, now, now],
  )
  return row?.n ?? 0
}

/** Whether a key of the workspace begins so. */
export const hasPrefix = async (tx: Transaction, workspaceId: string, prefix: string): Promise<boolean> =>
  (await tx.all('SELECT 1 FROM api_keys WHERE prefix = ? AND workspace_id = ? LIMIT 1', prefix, workspaceId)).length > 0

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

/** In SQL, of a key `k`. */
export const LAST_USED_AT = `(SELECT max(last_at) FROM (
  SELECT last_at FROM key_use WHERE key_id = k.id ORDER BY day DESC LIMIT ${LAST_DAYS}) AS last_days)`

const KEYS = `
  SELECT id, workspace_id AS "workspaceId", prefix, label, permissions, rate_limit, rate_window_seconds,
         created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt", retires_at AS "retiresAt",
         paused_at AS "pausedAt", revoked_at AS "revokedAt", replaces, ${LAST_USED_AT} AS "lastUsedAt"
  FROM api_keys k`

type KeyRow = Omit<KeyRecord & KeyUse, 'permissions' | 'quota'> & QuotaColumns & { permissions: string }

const toKey = (row: KeyRow): KeyRecord & KeyUse => {
  const { id, workspaceId, prefix, label, permissions, rate_limit: _, rate_window_seconds: __, ...rest } = row
  return { id, workspaceId, prefix, label, permissions: parsePermissions(permissions), quota: quotaOf(row), ...rest }
}
