import type { Pace } from '../audit/retention.ts'
import type { ReadingStore, Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { useCounts } from './history.ts'
import { findKeys, givenKeys, type KeyRecord, type KeyUse, LAST_USED_AT } from './records.ts'
import { EXPIRING_MS, type KeyState } from './state.ts'

/**
 * Computes keys' states and reasons for attention in SQL, so that long lists need not read whole keys.
 * `stateOf` does the same for single keys; test/keys/evaluate.test.ts compares the two.
 */

/** Most urgent first, both the severities and the kinds. */
export const severities = ['leak', 'failing', 'soon'] as const
type Severity = (typeof severities)[number]
export const severityOf = {
  leaked: 'leak',
  rotation_unfinished: 'failing',
  expiring: 'soon',
  unused: 'soon',
} as const satisfies Record<string, Severity>
export type AttentionKind = keyof typeof severityOf
export const attentionKinds = Object.keys(severityOf) as AttentionKind[]

const UNUSED_MS = 30 * DAY_MS

/** Per statement, because the thread also serves requests. */
export const SLICE_KEYS = 500

/** The given keys, or up to a slice of keys after a position. Newest first by default. */
export interface KeySlice {
  workspaceId: string
  after?: KeyPosition | undefined
  ids?: readonly string[]
  isOldestFirst?: boolean
}

/** Up to a slice of the keys of all workspaces that exist, after a position. */
interface EverySlice {
  isOfEvery: true
  after?: KeyPosition | undefined
}

/** A position in order of creation. The time has the database's full precision. */
interface KeyPosition {
  workspaceId: string
  createdAt: string
  id: string
}

interface EvaluatedKey {
  id: string
  state: KeyState['kind']
  /** Most urgent first. Empty for keys that have ended. Paused keys can still be leaked. */
  attention: readonly AttentionKind[]
  /** Live, and without an end: worth knowing, but in order. */
  neverExpires: boolean
}

/** Limits the search past ended successors. */
const MAX_DEAD_ENDS = 1000

const instant = (ms: number): string => `'${new Date(ms).toISOString()}'`

const lifeOf = (now: string) => `CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
  WHEN k.expires_at <= ${now} OR k.retires_at <= ${now} THEN 'expired' WHEN k.paused_at IS NOT NULL THEN 'paused' ELSE 'live' END`

/** When the newest nearest successor in one of these states was created. Successors in other states are skipped. */
const nextSuccessor = (lives: string, now: string) => `(
  WITH RECURSIVE line (id, created_at, life) AS (
    SELECT k.id, k.created_at, ${lifeOf(now)} FROM api_keys k WHERE k.replaces = old.id AND k.workspace_id = old.workspace_id AND k.id <> old.id
    UNION SELECT k.id, k.created_at, ${lifeOf(now)} FROM line CROSS JOIN api_keys k
    WHERE k.replaces = line.id AND line.life NOT IN (${lives}) AND k.workspace_id = old.workspace_id AND k.id <> old.id)
  SELECT max(created_at) FROM (SELECT * FROM line LIMIT ${MAX_DEAD_ENDS}) AS nearest WHERE life IN (${lives}))`

export function fromSlice(slice: KeySlice | EverySlice, most: string) {
  const { after } = slice
  if ('isOfEvery' in slice) {
    const place = 'k.workspace_id, k.created_at, k.id'
    const sql = `FROM api_keys k${after === undefined ? '' : ` WHERE (${place}) > (?, ?, ?)`} ORDER BY ${place} ${most}`
    return { sql, params: after === undefined ? [] : [after.workspaceId, after.createdAt, after.id] }
  }
  const { workspaceId, ids, isOldestFirst = false } = slice
  if (ids !== undefined) {
    const given = ids.length === 0 ? '1 = 0' : givenKeys(ids)
    return { sql: `FROM api_keys k WHERE ${given}`, params: ids.length === 0 ? [] : [...ids, workspaceId] }
  }
  const [order, comparison] = isOldestFirst ? ['ASC', '>'] : ['DESC', '<']
  const sql = `FROM api_keys k WHERE k.workspace_id = ?${after === undefined ? '' : ` AND (k.created_at, k.id) ${comparison} (?, ?)`}
    ORDER BY k.created_at ${order}, k.id ${order} ${most}`
  return { sql, params: [workspaceId, ...(after === undefined ? [] : [after.createdAt, after.id])] }
}

const POSITION = 'k.workspace_id AS "workspaceId", CAST(k.created_at AS text) AS "createdAt", k.id'

async function endOfSlice(tx: Transaction, slice: KeySlice | EverySlice): Promise<KeyPosition | undefined> {
  const { sql, params } = fromSlice(slice, `LIMIT 2 OFFSET ${SLICE_KEYS - 1}`)
  const [last, next] = await tx.all<KeyPosition>(`SELECT ${POSITION} ${sql}`, ...params)
  return next && last
}

/** Reads slice by slice, each in a read of its own: not all keys need fit into memory, and the thread also serves requests. */
export async function* inSlices<Slice extends KeySlice | EverySlice, T>(
  store: Pick<ReadingStore, 'read'>,
  keys: Slice,
  work: (tx: Transaction, slice: Slice) => Promise<T>,
): AsyncGenerator<T> {
  const slice = { ...keys }
  do {
    yield await store.read(async (tx) => {
      const result = await work(tx, slice)
      slice.after = await endOfSlice(tx, slice)
      return result
    })
  } while (slice.after !== undefined)
}

const COLUMNS = {
  label: 'k.label',
  createdBy: 'k.created_by',
  prefix: 'k.prefix',
  clientHost: 'k.client_host',
  expiresAt: 'k.expires_at',
  retiresAt: 'k.retires_at',
  lastUsedAt: LAST_USED_AT,
}
export type KeyColumn = keyof typeof COLUMNS

type ColumnValues = KeyRecord & KeyUse & { clientHost: string | null }

const NEVER_EXPIRES = 1 << attentionKinds.length
const kindsOfBits = Array.from({ length: NEVER_EXPIRES }, (_, bits) =>
  attentionKinds.filter((_, bit) => bits & (1 << bit)),
)

/** Looks for successors only where there are any. The findings are a bit set, which is twice as fast as columns. */
export async function evaluate(
  tx: Transaction,
  slice: KeySlice | EverySlice,
  nowMs: number,
  columns: readonly KeyColumn[] = [],
): Promise<(EvaluatedKey & Partial<Pick<ColumnValues, KeyColumn>>)[]> {
  const { sql: from, params } = fromSlice(slice, `LIMIT ${SLICE_KEYS}`)
  const [now, soon, since] = [nowMs, nowMs + EXPIRING_MS, nowMs - UNUSED_MS].map(instant) as [string, string, string]
  // A day of use may be a day away from UTC's.
  const sinceDay = `'${new Date(nowMs - UNUSED_MS - 2 * DAY_MS).toISOString().slice(0, 10)}'`
  const used = (when: string) => `EXISTS (SELECT 1 FROM key_use u WHERE u.key_id = old.id AND ${when})`
  const isRotating = 'old.is_replaced = 1 AND (old.retires_at IS NOT NULL OR old.open_since IS NOT NULL)'
  const endsSoon = `(old.expires_at <= ${soon} OR old.retires_at <= ${soon})`
  const reasons: Record<AttentionKind, string> = {
    leaked: `old.life IN ('live', 'paused') AND EXISTS (
      SELECT 1 FROM key_incidents i WHERE i.key_id = old.id AND i.kind IN ('url', 'browser'))`,
    expiring: `old.life = 'live' AND ${endsSoon} AND old.live_since IS NULL`,
    unused: `old.life = 'live' AND old.created_at < ${since} AND NOT ${used(`u.day >= ${sinceDay} AND u.last_at >= ${since}`)}`,
    rotation_unfinished: `${isRotating} AND (old.open_since IS NULL OR ${used('u.last_at > old.open_since')})`,
  }
  const neverExpires = `old.life = 'live' AND old.expires_at IS NULL AND old.retires_at IS NULL`
  const bits = [...attentionKinds.map((kind) => reasons[kind]), neverExpires].map(
    (applies, bit) => `CASE WHEN ${applies} THEN ${1 << bit} ELSE 0 END`,
  )
  const order = 'isOldestFirst' in slice && slice.isOldestFirst ? 'ASC' : 'DESC'
  // Keys outlive their workspaces. A slice is taken first, so that many such keys do not make a statement long.
  const existing = 'isOfEvery' in slice ? 'WHERE old.workspace_id IN (SELECT id FROM workspaces)' : ''
  const rows = await tx.all<Pick<EvaluatedKey, 'id' | 'state'> & { attention: number }>(
    `WITH slice AS MATERIALIZED (
       SELECT k.id, k.workspace_id, k.created_at, k.expires_at, k.retires_at, ${lifeOf(now)} AS life,
         CASE WHEN ${lifeOf(now)} = 'live' AND (k.expires_at IS NOT NULL OR k.retires_at IS NOT NULL) AND EXISTS (
           SELECT 1 FROM api_keys s WHERE s.replaces = k.id AND s.workspace_id = k.workspace_id AND s.id <> k.id)
         THEN 1 ELSE 0 END AS is_replaced
       ${from}),
     lined AS MATERIALIZED (
       SELECT old.*, CASE WHEN is_replaced = 1 THEN ${nextSuccessor("'live', 'paused'", now)} END AS open_since,
         CASE WHEN is_replaced = 1 THEN ${nextSuccessor("'live'", now)} END AS live_since
       FROM slice AS old)
     SELECT old.id, CASE WHEN old.life <> 'live' THEN old.life
         WHEN ${isRotating} THEN 'rotating' WHEN ${endsSoon} THEN 'expiring' ELSE 'live' END AS state,
       ${bits.join(' + ')} AS attention${columns.map((name) => `, ${COLUMNS[name]} AS "${name}"`).join('')}
     FROM lined AS old ${columns.length > 0 ? 'JOIN api_keys k ON k.id = old.id' : ''} ${existing}
     ORDER BY old.created_at ${order}, old.id ${order}`,
    ...params,
  )
  return rows.map((row) =>
    Object.assign(row, {
      neverExpires: row.attention >= NEVER_EXPIRES,
      attention: kindsOfBits[row.attention % NEVER_EXPIRES] ?? [],
    }),
  )
}

const MAX_URGENT = 100

/** Keys that may be leaked, end soon or are being rotated, found by indexes alone; `evaluate` decides. Those that end first come first. */
export async function urgentKeys(tx: Transaction, workspaceId: string, nowMs: number): Promise<string[]> {
  const [now, soon] = [instant(nowMs), instant(nowMs + EXPIRING_MS)]
  const seen = await tx.all<{ id: string }>(
    `SELECT i.key_id AS id FROM key_incidents i JOIN api_keys k ON k.id = i.key_id
     WHERE i.workspace_id = ? AND i.kind IN ('url', 'browser') AND ${lifeOf(now)} IN ('live', 'paused')
     GROUP BY i.key_id ORDER BY max(i.last_at) DESC LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  const ending = await tx.all<{ id: string }>(
    `SELECT k.id FROM api_keys k WHERE k.workspace_id = ? AND (k.expires_at <= ${soon} OR k.retires_at IS NOT NULL)
     AND ${lifeOf(now)} = 'live' ORDER BY coalesce(k.retires_at, k.expires_at) LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  return [...new Set([...seen, ...ending].map(({ id }) => id))]
}

export interface ListedKey extends KeyRecord, KeyUse, Omit<EvaluatedKey, 'id'> {
  useCount: number
}

/** Oldest first. */
export async function* everyKey(tx: Transaction, workspaceId: string, nowMs: number): AsyncGenerator<ListedKey[]> {
  const keys = { workspaceId, isOldestFirst: true }
  const slices = inSlices({ read: (work) => work(tx) }, keys, (_, slice) => evaluate(tx, slice, nowMs))
  for await (const evaluated of slices) {
    if (evaluated.length === 0) return
    const ids = evaluated.map(({ id }) => id)
    const uses = await useCounts(tx, { workspaceId, ids })
    const keys = new Map((await findKeys(tx, workspaceId, ids)).map((key) => [key.id, key]))
    yield evaluated.map((each) => ({
      ...(keys.get(each.id) as KeyRecord & KeyUse),
      useCount: uses.get(each.id) ?? 0,
      ...each,
    }))
  }
}

/** The keys of all workspaces that exist, by state, and the ids of those that need attention, up to a bound, by reason. */
interface KeyCounts {
  states: Record<KeyState['kind'], number>
  attention: Record<AttentionKind, { count: number; ids: string[] }>
}

/** Longer lists are truncated; `key list --attention` prints all of a workspace. */
const MAX_NAMED = 20

export async function countKeys(store: Pick<ReadingStore, 'read'>, nowMs: number, pace: Pace = {}): Promise<KeyCounts> {
  const { pause = async () => {}, isStopped = () => false } = pace
  const states = { live: 0, expiring: 0, rotating: 0, paused: 0, expired: 0, revoked: 0 }
  const none = () => ({ count: 0, ids: [] as string[] })
  const attention = { leaked: none(), rotation_unfinished: none(), expiring: none(), unused: none() }
  let startedAt = performance.now()
  for await (const keys of inSlices(store, { isOfEvery: true }, (tx, slice) => evaluate(tx, slice, nowMs))) {
    for (const { id, state, attention: kinds } of keys) {
      states[state]++
      for (const kind of kinds) {
        attention[kind].count++
        if (attention[kind].ids.length < MAX_NAMED) attention[kind].ids.push(id)
      }
    }
    await pause(performance.now() - startedAt)
    if (isStopped()) break
    startedAt = performance.now()
  }
  return { states, attention }
}
