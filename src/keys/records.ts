import { parsePermissions, type QuotaColumns, quotaOf } from '../database/admission.ts'
import type { SqlValue } from '../database/connection.ts'
import { among, type ColumnValues, columnOf, countFrom, insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import type { LeakPlace } from '../database/usage/request-recorder.ts'
import { isoOf } from '../lib/instant.ts'
import { hashToken, isToken } from '../lib/key-format.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { type OnlyRows, parseOnly } from '../lists/only.ts'
import type { CountedReason } from './refusals.ts'

export interface KeyRecord {
  id: string
  workspaceId: string
  prefix: string
  label: string
  permissions: string[]
  /** Null means the default quota. */
  quota: Quota | null
  /** In CIDR notation. Null means that the key can be used from everywhere. */
  networks: string[] | null
  /** Null means all rows. */
  only: OnlyRows | null
  createdBy: string
  createdAt: string
  expiresAt: string | null
  retiresAt: string | null
  pausedAt: string | null
  revokedAt: string | null
  replaces: string | null
  /** Set for a connection, which a person created by signing in. Null for a key whose token was shown. */
  client: KeyClient | null
  /** The last request that was not refused. */
  lastUsedAt: string | null
  lastRefusal: { why: CountedReason; at: string } | null
  leak: KeyLeak | null
}

/** The key was sent where others may read it, and should be rotated. */
export interface KeyLeak {
  seen: LeakPlace
  at: string
}

export interface KeyClient {
  id: string
  /** Receives the tokens. */
  host: string
}

/** Its parameters are the ids, then the workspace. The concatenation keeps SQLite from using the workspace's index. */
const givenKeys = (ids: readonly string[]): string => `k.id ${among(ids)} AND k.workspace_id || '' = ?`

/** In order of creation. Omits keys of other workspaces. */
export const findKeys = (tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<KeyRecord[]> =>
  readKeys(tx, `WHERE ${givenKeys(ids)} ORDER BY created_at, id`, ...ids, workspaceId)

/** Equivalent to `lifeOf` in state.ts, for the key k. */
export const lifeSql = (nowMs: number) => `CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
  WHEN k.expires_at <= '${isoOf(nowMs)}' OR k.retires_at <= '${isoOf(nowMs)}' THEN 'expired'
  WHEN k.paused_at IS NOT NULL THEN 'paused' ELSE 'live' END`

/** Equivalent to `isOpen`. */
export const openSql = (nowMs: number) => `${lifeSql(nowMs)} IN ('live', 'paused')`

/** The most keys of a workspace that have not ended: the list of keys reads all of them at once, in about 30 ms. */
export const MAX_OPEN_KEYS = 1000

/** In order of creation, so that the newest key of a label is the last. Connections belong to the people who created them. */
export const openKeys = (tx: Transaction, workspaceId: string): Promise<KeyRecord[]> =>
  readKeys(
    tx,
    `WHERE workspace_id = ? AND client_id IS NULL AND ${openSql(tx.nowMs)} ORDER BY created_at, id`,
    workspaceId,
  )

/** Direct and indirect successors, in order of creation. With a time, stops at the nearest ones that are live at that time. */
export function keysAfter(tx: Transaction, ids: readonly string[], liveAt?: number): Promise<KeyRecord[]> {
  const isLast = liveAt === undefined ? 'false' : `${lifeSql(liveAt)} = 'live'`
  // UNION ends at a cycle.
  const next = (line: string) =>
    `SELECT k.id, k.workspace_id, ${isLast} FROM ${line} AS old CROSS JOIN api_keys k
     WHERE k.replaces = old.id AND k.workspace_id = old.workspace_id`
  return readKeys(
    tx,
    `WHERE id IN (
       WITH RECURSIVE line (id, workspace_id, is_last) AS (
         ${next('api_keys')} AND old.id ${among(ids)}
         UNION ${next('line')} AND NOT old.is_last)
       SELECT id FROM line) ORDER BY created_at, id`,
    ...ids,
  )
}

export type KeyName = Pick<KeyRecord, 'id' | 'label' | 'prefix'>

export const keyNames = (tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<KeyName[]> =>
  tx.all(`SELECT k.id, k.label, k.prefix FROM api_keys k WHERE ${givenKeys(ids)}`, ...ids, workspaceId)

export const newestKeyNames = (tx: Transaction, workspaceId: string, limit: number): Promise<KeyName[]> =>
  tx.all(
    'SELECT id, label, prefix FROM api_keys WHERE workspace_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
    ...[workspaceId, limit],
  )

export const countOpenKeys = (tx: Transaction, workspaceId: string, nowMs: number): Promise<number> =>
  countFrom(tx, `api_keys k WHERE workspace_id = ? AND ${openSql(nowMs)}`, workspaceId)

export const findKey = async (tx: Transaction, id: string): Promise<KeyRecord | undefined> =>
  (await readKeys(tx, 'WHERE id = ?', id))[0]

/** Undefined if the key belongs to another workspace. */
export async function findKeyByToken(tx: Transaction, workspaceId: string, token: string) {
  if (!isToken(token)) return undefined
  const key = await findKeyByHash(tx, hashToken(token))
  return key?.workspaceId === workspaceId ? key : undefined
}

/** The hash of the key's own token, or of any token of a connection. */
export async function findKeyByHash(tx: Transaction, hash: string): Promise<KeyRecord | undefined> {
  const id = 'coalesce((SELECT id FROM api_keys WHERE hash = ?), (SELECT key_id FROM connection_tokens WHERE hash = ?))'
  return (await readKeys(tx, `WHERE id = ${id}`, hash, hash))[0]
}

/** Locks the row with a no-op update, the only row lock that both databases have. */
export async function lockKey(tx: Transaction, id: string): Promise<void> {
  await tx.run('UPDATE api_keys SET label = label WHERE id = ?', id)
}

export async function insertKey(tx: Transaction, key: KeyRecord, hash: string): Promise<void> {
  await insertRow(tx, 'api_keys', { hash, ...columnsIn(key) })
}

export async function updateKey(tx: Transaction, id: string, changes: Partial<KeyRecord>): Promise<void> {
  const columns = columnsIn(changes)
  const set = Object.keys(columns).map((field) => `${columnOf(field)} = ?`)
  await tx.run(`UPDATE api_keys SET ${set.join(', ')} WHERE id = ?`, ...Object.values(columns), id)
}

const columnsIn = (key: Partial<KeyRecord>): ColumnValues => {
  const { permissions, networks, only, quota, client, lastRefusal, leak, ...others } = key
  return {
    ...others,
    ...(permissions && { permissions: permissions.join(',') }),
    ...(networks !== undefined && { networks: networks?.join(',') ?? null }),
    ...(only !== undefined && { onlyRows: only && JSON.stringify(only) }),
    ...(quota !== undefined && { rateLimit: quota?.limit ?? null, rateWindowSeconds: quota?.windowSeconds ?? null }),
    ...(lastRefusal !== undefined && { lastRefusedAt: lastRefusal?.at ?? null, lastRefusal: lastRefusal?.why ?? null }),
    ...(leak !== undefined && { leakedAt: leak?.at ?? null, leakedIn: leak?.seen ?? null }),
    ...(client !== undefined && { clientId: client?.id ?? null, clientHost: client?.host ?? null }),
  }
}

const KEYS = `
  SELECT id, workspace_id AS "workspaceId", prefix, label, permissions, rate_limit, rate_window_seconds,
         created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt", retires_at AS "retiresAt",
         paused_at AS "pausedAt", revoked_at AS "revokedAt", replaces, client_id, client_host, networks, only_rows,
         last_used_at AS "lastUsedAt", last_refused_at, last_refusal, leaked_at, leaked_in
  FROM api_keys k`

type KeyRow = Omit<KeyRecord, 'permissions' | 'quota' | 'client' | 'networks' | 'only' | 'lastRefusal' | 'leak'> &
  QuotaColumns &
  Record<'client_id' | 'client_host' | 'networks' | 'only_rows' | 'last_refused_at' | 'leaked_at', string | null> & {
    permissions: string
    last_refusal: CountedReason | null
    leaked_in: LeakPlace | null
  }

/** `which` is the SQL after `FROM api_keys k`: conditions, order and limit. */
export const readKeys = async (tx: Transaction, which: string, ...params: SqlValue[]): Promise<KeyRecord[]> =>
  (await tx.all<KeyRow>(`${KEYS} ${which}`, ...params)).map(toKey)

/** Names each member, because a rest pattern with so many members takes longer than reading the row. */
const toKey = (row: KeyRow): KeyRecord => {
  const { id, workspaceId, prefix, label, permissions, networks, createdBy, createdAt, lastUsedAt } = row
  const { expiresAt, retiresAt, pausedAt, revokedAt, replaces, client_id, client_host } = row
  const { only_rows, last_refused_at, last_refusal, leaked_at, leaked_in } = row
  return {
    ...{ id, workspaceId, prefix, label, permissions: parsePermissions(permissions), quota: quotaOf(row) },
    ...{ networks: networks?.split(',') ?? null, only: only_rows === null ? null : parseOnly(only_rows) },
    ...{ createdBy, createdAt },
    ...{ expiresAt, retiresAt, pausedAt, revokedAt, replaces, lastUsedAt },
    client: client_id === null ? null : { id: client_id, host: client_host ?? '' },
    lastRefusal: last_refusal && last_refused_at ? { why: last_refusal, at: last_refused_at } : null,
    leak: leaked_in && leaked_at ? { seen: leaked_in, at: leaked_at } : null,
  }
}
