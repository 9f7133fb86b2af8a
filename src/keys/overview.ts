import type { Transaction } from '../database/store.ts'
import { type LocalTime, lastDates } from '../lib/local-dates.ts'
import { type EvaluatedKey, evaluate } from './evaluate.ts'
import { callersOf, type KeyCaller, type KeyDay, lastCaller, readDays, refusedOn, useCounts } from './history.ts'
import { findKeys, keysAfter } from './records.ts'

export interface KeyOverview extends Omit<EvaluatedKey, 'workspaceId' | 'revokedAt' | 'neverExpires'> {
  /** All requests of the last 14 days, oldest first. */
  dailyUse: number[]
  /** The refused ones among them. */
  dailyRefused: number[]
}

const DAYS_SHOWN = 14

/** In order of creation. */
export async function readOverviews(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
  time: LocalTime,
): Promise<KeyOverview[]> {
  const keys = await evaluate(tx, await findKeys(tx, workspaceId, ids), time.nowMs)
  const existing = keys.map(({ id }) => id)
  const uses = await readDays(tx, existing, lastDates(time, DAYS_SHOWN))
  return keys.map(({ workspaceId: _, revokedAt: __, neverExpires: ___, ...key }) => {
    const days = uses.get(key.id) ?? []
    const dailyUse = days.map((day) => day.served + refusedOn(day))
    return { ...key, dailyUse, dailyRefused: days.map(refusedOn) }
  })
}

export interface KeyDetail extends KeyOverview {
  useCount: number
  /** The last 30 days, oldest first. */
  days: KeyDay[]
  /** In the request log of the last seven days, newest first. */
  callers: KeyCaller[]
  /** Who sent the last logged request that was refused because of the key's networks. */
  lastOutside: string | null
  predecessor: KeyOverview | null
  /** Direct and indirect, oldest first: the newest, up to a limit. */
  successors: KeyOverview[]
  successorCount: number
}

const DETAIL_DAYS = 30
const MAX_SUCCESSORS = 100

export async function readKeyDetail(
  tx: Transaction,
  workspaceId: string,
  keyId: string,
  time: LocalTime,
): Promise<KeyDetail | undefined> {
  const after = (await keysAfter(tx, [keyId])).filter(({ id }) => id !== keyId)
  const successors = after.slice(-MAX_SUCCESSORS).map(({ id }) => id)
  const overviewsOf = (...ids: string[]) => readOverviews(tx, workspaceId, ids, time)
  const [key] = await overviewsOf(keyId)
  if (key === undefined) return undefined
  const days = lastDates(time, DETAIL_DAYS)
  return {
    ...key,
    useCount: (await useCounts(tx, [keyId])).get(keyId) ?? 0,
    days: (await readDays(tx, [keyId], days)).get(keyId) ?? [],
    callers: await callersOf(tx, keyId),
    lastOutside: await lastCaller(tx, keyId, 'network'),
    predecessor: (key.replaces && (await overviewsOf(key.replaces))[0]) || null,
    successors: await overviewsOf(...successors),
    successorCount: after.length,
  }
}
