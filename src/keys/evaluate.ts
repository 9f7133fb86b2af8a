import type { ReadingStore, Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { UNPACED } from '../lib/turns.ts'
import { type KeyWarning, lastWarnings, useCounts } from './history.ts'
import { type KeyRecord, keysAfter, lifeSql, openSql, readKeys } from './records.ts'
import {
  EXPIRING_MS,
  endOf,
  isExpiring,
  isOpen,
  type KeyState,
  lifeOf,
  type Replacements,
  replacementsAmong,
  stateOf,
  successorsOf,
} from './state.ts'

/** Most urgent first: what may have leaked, what fails, and what ends or can be removed. */
export const urgencyOf = { leaked: 0, rotation_unfinished: 1, expiring: 2, unused: 2 } as const
export type AttentionKind = keyof typeof urgencyOf
export const attentionKinds = Object.keys(urgencyOf) as AttentionKind[]

const UNUSED_MS = 30 * DAY_MS

/** Per read, because the thread also serves requests. */
export const SLICE_KEYS = 150

/** Keys of a workspace, or of all. Newest first by default. */
interface KeySlice {
  workspaceId?: string
  after?: KeyPosition | undefined
  isOldestFirst?: boolean
}

/** A position in order of creation. The time has the database's full precision. */
interface KeyPosition {
  workspaceId: string
  createdAt: string
  id: string
}

export interface EvaluatedKey extends KeyRecord {
  state: KeyState
  warnings: KeyWarning[]
  /** Most urgent first. Empty for keys that have ended. Paused keys can still be leaked. */
  attention: readonly AttentionKind[]
  /** Live and never expires: worth knowing, but not a problem. */
  neverExpires: boolean
}

function fromSlice({ workspaceId, after, isOldestFirst = false }: KeySlice, most: string) {
  if (workspaceId === undefined) {
    const place = 'k.workspace_id, k.created_at, k.id'
    const sql = `${after === undefined ? '' : `WHERE (${place}) > (?, ?, ?)`} ORDER BY ${place} ${most}`
    return { sql, params: after === undefined ? [] : [after.workspaceId, after.createdAt, after.id] }
  }
  const [order, comparison] = isOldestFirst ? ['ASC', '>'] : ['DESC', '<']
  const sql = `WHERE k.workspace_id = ?${after === undefined ? '' : ` AND (k.created_at, k.id) ${comparison} (?, ?)`}
    ORDER BY k.created_at ${order}, k.id ${order} ${most}`
  return { sql, params: [workspaceId, ...(after === undefined ? [] : [after.createdAt, after.id])] }
}

const POSITION = 'k.workspace_id AS "workspaceId", CAST(k.created_at AS text) AS "createdAt", k.id'

async function endOfSlice(tx: Transaction, slice: KeySlice): Promise<KeyPosition | undefined> {
  const { sql, params } = fromSlice(slice, `LIMIT 2 OFFSET ${SLICE_KEYS - 1}`)
  const [last, next] = await tx.all<KeyPosition>(`SELECT ${POSITION} FROM api_keys k ${sql}`, ...params)
  return next && last
}

/**
 * One read per slice, because the keys may not all fit into memory, and the thread also serves requests.
 * `work` gets the SQL after `FROM api_keys k`.
 */
export async function* inSlices<T>(
  store: Pick<ReadingStore, 'read'>,
  keys: KeySlice,
  work: (tx: Transaction, which: string, params: string[]) => Promise<T>,
): AsyncGenerator<T> {
  const slice = { ...keys }
  do {
    yield await store.read(async (tx) => {
      const { sql, params } = fromSlice(slice, `LIMIT ${SLICE_KEYS}`)
      const result = await work(tx, sql, params)
      slice.after = await endOfSlice(tx, slice)
      return result
    })
  } while (slice.after !== undefined)
}

export const evaluateInSlices = (store: Pick<ReadingStore, 'read'>, keys: KeySlice, nowMs: number) =>
  inSlices(store, keys, async (tx, which, params) => evaluate(tx, await readKeys(tx, which, ...params), nowMs))

export async function evaluate(tx: Transaction, keys: readonly KeyRecord[], nowMs: number): Promise<EvaluatedKey[]> {
  const idsOf = (some: readonly KeyRecord[]) => some.map(({ id }) => id)
  const warnings = Map.groupBy(await lastWarnings(tx, idsOf(keys)), ({ keyId }) => keyId)
  // The state of other keys does not depend on their successors.
  const ending = keys.filter((key) => lifeOf(key, nowMs) === 'live' && endOf(key) !== null)
  const replacements = replacementsAmong(await keysAfter(tx, idsOf(ending), { liveAt: nowMs }))
  return keys.map((key) => {
    const seen = (warnings.get(key.id) ?? []).map(({ keyId: _, ...warning }) => warning)
    return { ...key, warnings: seen, ...evaluateKey(key, replacements, seen.length > 0, nowMs) }
  })
}

/** A key's state, given its successors, and why it needs attention. */
export function evaluateKey(key: KeyRecord, replacements: Replacements, wasSeen: boolean, nowMs: number) {
  const state = stateOf(key, replacements, nowMs)
  const isLive = lifeOf(key, nowMs) === 'live'
  const isLongAgo = (at: string | null) => at === null || nowMs - Date.parse(at) > UNUSED_MS
  const works = (next: KeyRecord) => lifeOf(next, nowMs) === 'live'
  const isSucceeded = () => successorsOf(key, replacements, works).some(works)
  const reasons: Record<AttentionKind, boolean> = {
    leaked: wasSeen && isOpen(key, nowMs),
    rotation_unfinished: state.kind === 'rotating' && (state.stillUsed || !state.successor.works),
    expiring: isExpiring(key, nowMs) && !isSucceeded(),
    unused: isLive && isLongAgo(key.createdAt) && isLongAgo(key.lastUsedAt),
  }
  const attention = attentionKinds.filter((kind) => reasons[kind])
  return { state, attention, neverExpires: isLive && endOf(key) === null }
}

const MAX_URGENT = 100

/** Keys that may be leaked, end soon or are being rotated, found only by indexes; `evaluate` decides. Those that end first come first. */
export async function urgentKeys(tx: Transaction, workspaceId: string, nowMs: number): Promise<string[]> {
  const seen = await tx.all<{ id: string }>(
    `SELECT i.key_id AS id FROM key_incidents i JOIN api_keys k ON k.id = i.key_id
     WHERE i.workspace_id = ? AND i.kind IN ('url', 'browser') AND ${openSql(nowMs)}
     GROUP BY i.key_id ORDER BY max(i.last_at) DESC LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  const ending = await tx.all<{ id: string }>(
    `SELECT k.id FROM api_keys k WHERE k.workspace_id = ? AND (k.expires_at <= '${isoOf(nowMs + EXPIRING_MS)}' OR k.retires_at IS NOT NULL)
     AND ${lifeSql(nowMs)} = 'live' ORDER BY coalesce(k.retires_at, k.expires_at) LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  return [...new Set([...seen, ...ending].map(({ id }) => id))]
}

export interface ListedKey extends Omit<EvaluatedKey, 'state' | 'warnings'> {
  useCount: number
  state: KeyState['kind']
}

/** Oldest first. */
export async function* everyKey(tx: Transaction, workspaceId: string): AsyncGenerator<ListedKey[]> {
  const keys = { workspaceId, isOldestFirst: true }
  for await (const evaluated of evaluateInSlices({ read: (work) => work(tx) }, keys, tx.nowMs)) {
    if (evaluated.length === 0) return
    const ids = evaluated.map(({ id }) => id)
    const uses = await useCounts(tx, ids)
    yield evaluated.map(({ warnings: _, state, attention, neverExpires, ...key }) => {
      const useCount = uses.get(key.id) ?? 0
      return { ...key, useCount, state: state.kind, attention, neverExpires }
    })
  }
}

/** Longer lists are truncated; `key list --attention` prints all of a workspace. */
const MAX_NAMED = 20

/** The keys of all workspaces that exist, by state, and the ids of those that need attention, up to a bound, by reason. */
export async function countKeys(store: Pick<ReadingStore, 'read'>, pace = UNPACED) {
  const states = { live: 0, expiring: 0, rotating: 0, paused: 0, expired: 0, revoked: 0 }
  const none = () => ({ count: 0, ids: [] as string[] })
  const attention = { leaked: none(), rotation_unfinished: none(), expiring: none(), unused: none() }
  // Keys outlive their workspaces. A slice is taken first, so that many such keys do not make a statement long.
  const slices = inSlices(store, {}, async (tx, which, params) => {
    const existing = `WHERE k.id IN (SELECT k.id FROM api_keys k ${which}) AND k.workspace_id IN (SELECT id FROM workspaces)`
    return evaluate(tx, await readKeys(tx, existing, ...params), tx.nowMs)
  })
  let startedAt = performance.now()
  for await (const keys of slices) {
    for (const { id, state, attention: kinds } of keys) {
      states[state.kind]++
      for (const kind of kinds) {
        attention[kind].count++
        if (attention[kind].ids.length < MAX_NAMED) attention[kind].ids.push(id)
      }
    }
    await pace.pause(performance.now() - startedAt)
    if (pace.isStopped()) break
    startedAt = performance.now()
  }
  return { states, attention }
}
