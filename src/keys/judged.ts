import type { Transaction } from '../database/store.ts'
import { type AttentionKind, attentionKinds, UNUSED_MS } from './attention.ts'
import { useCounts } from './history.ts'
import { findKeys, givenKeys, type KeyRecord, type KeyUse, LAST_USED_AT } from './records.ts'
import { EXPIRING_MS, type KeyState } from './state.ts'

/**
 * The states of keys, and why they need attention, in SQL: so that a list of many keys is counted, filtered and paged without
 * reading them. `stateOf` and `attentionOf` say the same of one key; test/keys/judged.test.ts holds the two together.
 */

/** What the states of keys are counted by: each key is in one of them. */
export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds] as const
export type KeyFilter = (typeof keyFilters)[number]
export type KeyCounts = Record<KeyFilter, number>

/** In one statement: a thread that serves requests is not held up for longer than these take. */
export const SLICE_KEYS = 500

/** Some keys of a workspace: given ones, or as many as a slice has, after a position; the newest first unless told. */
export interface KeySlice {
  workspaceId: string
  after?: KeyPosition | undefined
  ids?: readonly string[]
  isOldestFirst?: boolean
}

/** The place of a key in the order of creation. The time is as exact as the database has it, to be given back to it only. */
export interface KeyPosition {
  createdAt: string
  id: string
}

interface JudgedKey {
  id: string
  state: KeyState['kind']
  attention: AttentionKind[]
}

/** The dead ends of a key's rotations that are looked behind for one that works: more than anybody makes by hand. */
const MAX_DEAD_ENDS = 1000
/** The days of use are those of the workspace's timezone, which may be a day away from UTC's. */
const DAY_MS = 86_400_000

const instant = (ms: number): string => `'${new Date(ms).toISOString()}'`
const flag = (condition: string): string => `CASE WHEN ${condition} THEN 1 ELSE 0 END`

const lifeOf = (now: string) => `CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
  WHEN k.expires_at <= ${now} OR k.retires_at <= ${now} THEN 'expired' WHEN k.paused_at IS NOT NULL THEN 'paused' ELSE 'live' END`

/** When the newest of a key's next successors in one of these lives was created; it looks behind those in another life. */
const nextSuccessor = (lives: string, now: string) => `(
  WITH RECURSIVE line (id, created_at, life) AS (
    SELECT k.id, k.created_at, ${lifeOf(now)} FROM api_keys k WHERE k.replaces = old.id AND k.workspace_id = old.workspace_id AND k.id <> old.id
    UNION SELECT k.id, k.created_at, ${lifeOf(now)} FROM line CROSS JOIN api_keys k
    WHERE k.replaces = line.id AND line.life NOT IN (${lives}) AND k.workspace_id = old.workspace_id AND k.id <> old.id)
  SELECT max(created_at) FROM (SELECT * FROM line LIMIT ${MAX_DEAD_ENDS}) AS nearest WHERE life IN (${lives}))`

/** Follows the columns of keys `k`. */
export function fromSlice({ workspaceId, after, ids, isOldestFirst = false }: KeySlice, most: string) {
  if (ids !== undefined) {
    const given = ids.length === 0 ? '1 = 0' : givenKeys(ids)
    return { sql: `FROM api_keys k WHERE ${given}`, params: ids.length === 0 ? [] : [...ids, workspaceId] }
  }
  const [order, comparison] = isOldestFirst ? ['ASC', '>'] : ['DESC', '<']
  const sql = `FROM api_keys k WHERE k.workspace_id = ?${after === undefined ? '' : ` AND (k.created_at, k.id) ${comparison} (?, ?)`}
    ORDER BY k.created_at ${order}, k.id ${order} ${most}`
  return { sql, params: [workspaceId, ...(after === undefined ? [] : [after.createdAt, after.id])] }
}

const POSITION = 'CAST(k.created_at AS text) AS "createdAt", k.id'

/** Where the slice ends; undefined if no key comes after it. */
export async function endOfSlice(tx: Transaction, slice: KeySlice): Promise<KeyPosition | undefined> {
  const { sql, params } = fromSlice(slice, `LIMIT 2 OFFSET ${SLICE_KEYS - 1}`)
  const [last, next] = await tx.all<KeyPosition>(`SELECT ${POSITION} ${sql}`, ...params)
  return next && last
}

export type SearchedKey = KeyPosition & Pick<KeyRecord, 'label' | 'createdBy' | 'prefix'>

/** What the keys of a slice are found by. */
export function searchedIn(tx: Transaction, slice: KeySlice): Promise<SearchedKey[]> {
  const { sql, params } = fromSlice(slice, `LIMIT ${SLICE_KEYS}`)
  return tx.all(`SELECT ${POSITION}, k.label, k.created_by AS "createdBy", k.prefix ${sql}`, ...params)
}

/** Selects from a table `judged`, which has a row for each key of the slice. Few keys have a successor: only theirs are searched. */
function judge<Row>(tx: Transaction, slice: KeySlice, nowMs: number, select: string): Promise<Row[]> {
  const { sql: from, params } = fromSlice(slice, `LIMIT ${SLICE_KEYS}`)
  const [now, soon, since] = [nowMs, nowMs + EXPIRING_MS, nowMs - UNUSED_MS].map(instant) as [string, string, string]
  const sinceDay = `'${new Date(nowMs - UNUSED_MS - 2 * DAY_MS).toISOString().slice(0, 10)}'`
  const used = (when: string) => `EXISTS (SELECT 1 FROM key_use u WHERE u.key_id = old.id AND ${when})`
  const isRotating = 'is_replaced = 1 AND (retires_at IS NOT NULL OR open_since IS NOT NULL)'
  const endsSoon = `(expires_at <= ${soon} OR retires_at <= ${soon})`
  const reasons: Record<AttentionKind, string> = {
    leaked: `life IN ('live', 'paused') AND EXISTS (
      SELECT 1 FROM key_incidents i WHERE i.key_id = old.id AND i.kind IN ('url', 'browser'))`,
    expiring: `life = 'live' AND ${endsSoon} AND live_since IS NULL`,
    unused: `life = 'live' AND created_at < ${since} AND NOT ${used(`u.day >= ${sinceDay} AND u.last_at >= ${since}`)}`,
    never_expires: `life = 'live' AND expires_at IS NULL AND retires_at IS NULL`,
    rotation_unfinished: `${isRotating} AND (open_since IS NULL OR ${used('u.last_at > open_since')})`,
  }
  const flags = attentionKinds.map((kind) => `${flag(reasons[kind])} AS ${kind}`)
  return tx.all(
    `WITH slice AS MATERIALIZED (
       SELECT k.id, k.workspace_id, k.created_at, k.expires_at, k.retires_at, ${lifeOf(now)} AS life,
         ${flag(`${lifeOf(now)} = 'live' AND (k.expires_at IS NOT NULL OR k.retires_at IS NOT NULL) AND EXISTS (
           SELECT 1 FROM api_keys s WHERE s.replaces = k.id AND s.workspace_id = k.workspace_id AND s.id <> k.id)`)} AS is_replaced
       ${from}),
     lined AS MATERIALIZED (
       SELECT old.*, CASE WHEN is_replaced = 1 THEN ${nextSuccessor("'live', 'paused'", now)} END AS open_since,
         CASE WHEN is_replaced = 1 THEN ${nextSuccessor("'live'", now)} END AS live_since
       FROM slice AS old),
     judged AS MATERIALIZED (
       SELECT id, created_at, expires_at, retires_at, life, CASE WHEN life <> 'live' THEN life
         WHEN ${isRotating} THEN 'rotating' WHEN ${endsSoon} THEN 'expiring' ELSE 'live' END AS state, ${flags.join(', ')}
       FROM lined AS old)
     ${select}`,
    ...params,
  )
}

const NEEDS_ATTENTION = attentionKinds.map((kind) => `${kind} = 1`).join(' OR ')

const isIn = (filter: KeyFilter): string => {
  if (filter === 'all') return '1 = 1'
  if (filter === 'attention') return `(${NEEDS_ATTENTION})`
  if (filter === 'live') return "state IN ('live', 'expiring')"
  return keyGroups.some((group) => group === filter) ? `state = '${filter}'` : `${filter} = 1`
}

/** How many keys of a slice each filter lets through. */
export async function countSlice(tx: Transaction, slice: KeySlice, nowMs: number): Promise<KeyCounts> {
  const sums = keyFilters.map((filter) => `coalesce(sum(${flag(isIn(filter))}), 0) AS "${filter}"`)
  const [counts] = await judge<KeyCounts>(tx, slice, nowMs, `SELECT ${sums.join(', ')} FROM judged`)
  return counts as KeyCounts
}

const HAS_ENDED = "life IN ('expired', 'revoked')"
const parts = { all: '1 = 1', open: `NOT ${HAS_ENDED}`, ended: HAS_ENDED }

/** Some keys of a slice that pass a filter, the newest first. */
export async function idsIn(
  tx: Transaction,
  slice: KeySlice,
  [filter, part]: [KeyFilter, keyof typeof parts],
  nowMs: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<string[]> {
  const rows = await judge<{ id: string }>(
    ...[tx, slice, nowMs],
    `SELECT id FROM judged WHERE ${isIn(filter)} AND ${parts[part]} ORDER BY created_at DESC, id DESC
     LIMIT ${limit} OFFSET ${offset}`,
  )
  return rows.map(({ id }) => id)
}

/** What keys are sorted by. */
export interface SortableKey extends Pick<KeyRecord, 'id' | 'label' | 'expiresAt' | 'retiresAt'>, KeyUse {
  hasEnded: number
}

/** All keys of a slice that pass a filter, the newest first. The last use is read only where they are sorted by it. */
export const sortableIn = (
  tx: Transaction,
  slice: KeySlice,
  filter: KeyFilter,
  nowMs: number,
  { byUse }: { byUse: boolean },
): Promise<SortableKey[]> =>
  judge(
    ...[tx, slice, nowMs],
    `SELECT j.id, k.label, j.expires_at AS "expiresAt", j.retires_at AS "retiresAt", ${byUse ? LAST_USED_AT : 'NULL'} AS "lastUsedAt",
       ${flag(HAS_ENDED)} AS "hasEnded"
     FROM judged j JOIN api_keys k ON k.id = j.id WHERE ${isIn(filter)} ORDER BY j.created_at DESC, j.id DESC`,
  )

/** A key, with what a list of all keys says of it. */
export interface ListedKey extends KeyRecord, KeyUse, Pick<JudgedKey, 'state' | 'attention'> {
  useCount: number
}

/** Every key of a workspace in the order of creation, a slice at a time: all of them need not fit into memory. */
export async function* everyKey(tx: Transaction, workspaceId: string, nowMs: number): AsyncGenerator<ListedKey[]> {
  const slice: KeySlice = { workspaceId, isOldestFirst: true }
  do {
    const judged = await judgeSlice(tx, slice, nowMs)
    if (judged.length === 0) return
    slice.after = await endOfSlice(tx, slice)
    const ids = judged.map(({ id }) => id)
    const uses = await useCounts(tx, { workspaceId, ids })
    const byId = new Map(judged.map((key) => [key.id, key]))
    yield (await findKeys(tx, workspaceId, ids)).map((key) => {
      const { state = 'live', attention = [] } = byId.get(key.id) ?? {}
      return { ...key, useCount: uses.get(key.id) ?? 0, state, attention }
    })
  } while (slice.after !== undefined)
}

/** Of all workspaces that are there: how many keys are live, and how many and which of them stop within two weeks. */
export async function countLiveKeys(tx: Transaction, nowMs: number, mostIds: number) {
  const [now, soon] = [instant(nowMs), instant(nowMs + EXPIRING_MS)]
  const live = `FROM api_keys k WHERE ${lifeOf(now)} = 'live' AND k.workspace_id IN (SELECT id FROM workspaces)`
  const isExpiring = `(k.expires_at <= ${soon} OR k.retires_at <= ${soon})`
  const [counts] = await tx.all<{ live: number; expiring: number }>(
    `SELECT count(*) AS live, coalesce(sum(${flag(isExpiring)}), 0) AS expiring ${live}`,
  )
  const ids = await tx.all<{ id: string }>(
    `SELECT k.id ${live} AND ${isExpiring} ORDER BY k.workspace_id, k.created_at, k.id LIMIT ?`,
    mostIds,
  )
  return { live: 0, expiring: 0, ...counts, ids: ids.map(({ id }) => id) }
}

/** The keys of a slice. */
async function judgeSlice(tx: Transaction, slice: KeySlice, nowMs: number): Promise<JudgedKey[]> {
  const columns = ['id', 'state', ...attentionKinds].join(', ')
  const rows = await judge<Record<AttentionKind, 0 | 1> & Pick<JudgedKey, 'id' | 'state'>>(
    ...[tx, slice, nowMs],
    `SELECT ${columns} FROM judged`,
  )
  return rows.map(({ id, state, ...flags }) => ({
    id,
    state,
    attention: attentionKinds.filter((kind) => flags[kind] === 1),
  }))
}
