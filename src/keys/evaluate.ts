import type { ReadingStore, Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { useCounts } from './history.ts'
import { UNPACED, untilDone } from './pace.ts'
import { type KeyRecord, keysAfter, lifeSql, MAX_OPEN_KEYS, openSql, readKeys } from './records.ts'
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

export interface EvaluatedKey extends KeyRecord {
  state: KeyState
  /** Most urgent first. Empty for keys that have ended. Paused keys can still be leaked. */
  attention: readonly AttentionKind[]
  /** Live and never expires: worth knowing, but not a problem. */
  neverExpires: boolean
}

export async function evaluate(tx: Transaction, keys: readonly KeyRecord[], nowMs: number): Promise<EvaluatedKey[]> {
  // The state of other keys does not depend on their successors.
  const ending = keys.filter((key) => lifeOf(key, nowMs) === 'live' && endOf(key) !== null)
  const ids = ending.map(({ id }) => id)
  const replacements = replacementsAmong(await keysAfter(tx, ids, nowMs))
  return keys.map((key) => ({ ...key, ...evaluateKey(key, replacements, nowMs) }))
}

/** A key's state, given its successors, and why it needs attention. */
export function evaluateKey(key: KeyRecord, replacements: Replacements, nowMs: number) {
  const state = stateOf(key, replacements, nowMs)
  const isLive = lifeOf(key, nowMs) === 'live'
  const isLongAgo = (at: string | null) => at === null || nowMs - Date.parse(at) > UNUSED_MS
  const works = (next: KeyRecord) => lifeOf(next, nowMs) === 'live'
  const isSucceeded = () => successorsOf(key, replacements, works).some(works)
  const reasons: Record<AttentionKind, boolean> = {
    leaked: key.leak !== null && isOpen(key, nowMs),
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
    `SELECT k.id FROM api_keys k WHERE k.workspace_id = ? AND k.leaked_at IS NOT NULL AND ${openSql(nowMs)}
     ORDER BY k.leaked_at DESC LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  const ending = await tx.all<{ id: string }>(
    `SELECT k.id FROM api_keys k WHERE k.workspace_id = ? AND (k.expires_at <= '${isoOf(nowMs + EXPIRING_MS)}' OR k.retires_at IS NOT NULL)
     AND ${lifeSql(nowMs)} = 'live' ORDER BY coalesce(k.retires_at, k.expires_at) LIMIT ${MAX_URGENT}`,
    workspaceId,
  )
  return [...new Set([...seen, ...ending].map(({ id }) => id))]
}

export interface ListedKey extends Omit<EvaluatedKey, 'state'> {
  useCount: number
  state: KeyState['kind']
}

/** Oldest first. */
export async function listedKeys(tx: Transaction, workspaceId: string): Promise<ListedKey[]> {
  const keys = await readKeys(tx, 'WHERE workspace_id = ? ORDER BY created_at, id', workspaceId)
  const listed: ListedKey[] = []
  // As many at once as the parameters of one statement may be.
  for (let at = 0; at < keys.length; at += MAX_OPEN_KEYS) {
    const evaluated = await evaluate(tx, keys.slice(at, at + MAX_OPEN_KEYS), tx.nowMs)
    const ids = evaluated.map(({ id }) => id)
    const uses = await useCounts(tx, ids)
    for (const { state, ...key } of evaluated)
      listed.push({ ...key, useCount: uses.get(key.id) ?? 0, state: state.kind })
  }
  return listed
}

/** Longer lists are truncated. */
const MAX_NAMED = 20

/** Takes a few milliseconds: the thread also serves requests. */
const KEYS_PER_READ = 200

/** The keys of all workspaces that exist, by state, and the ids of those that need attention, up to a bound, by reason. */
export async function countKeys(store: Pick<ReadingStore, 'read'>, pace = UNPACED) {
  const states = { live: 0, expiring: 0, rotating: 0, paused: 0, expired: 0, revoked: 0 }
  const none = () => ({ count: 0, ids: [] as string[] })
  const attention = { leaked: none(), rotation_unfinished: none(), expiring: none(), unused: none() }
  // Keys outlive their workspaces.
  const existing = 'workspace_id IN (SELECT id FROM workspaces)'
  const ended = await store.read((tx) =>
    tx.all<{ life: 'expired' | 'revoked'; count: number }>(
      `SELECT ${lifeSql(tx.nowMs)} AS life, count(*) AS count FROM api_keys k
       WHERE ${existing} AND NOT ${openSql(tx.nowMs)} GROUP BY 1`,
    ),
  )
  for (const { life, count } of ended) states[life] = Number(count)
  let after = ''
  await untilDone(pace, async () => {
    const which = `WHERE id > ? AND ${existing}`
    const keys = await store.read(async (tx) =>
      evaluate(
        tx,
        await readKeys(tx, `${which} AND ${openSql(tx.nowMs)} ORDER BY id LIMIT ${KEYS_PER_READ}`, after),
        tx.nowMs,
      ),
    )
    for (const { id, state, attention: kinds } of keys) {
      states[state.kind]++
      for (const kind of kinds) {
        attention[kind].count++
        if (attention[kind].ids.length < MAX_NAMED) attention[kind].ids.push(id)
      }
    }
    after = keys.at(-1)?.id ?? after
    return keys.length < KEYS_PER_READ
  })
  return { states, attention }
}
