import type { Transaction } from '../database/store.ts'
import { lastDaysIn } from '../database/timezones.ts'
import { callersOf, findLastOutside, type KeyCaller, type KeyDay, readDays, useCounts } from './history.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import { keysAfter } from './records.ts'

export interface KeyDetail extends KeyOverview {
  useCount: number
  /** The last 30 days, oldest first. */
  days: KeyDay[]
  /** The most recently seen, newest first. */
  callers: KeyCaller[]
  /** The last request in those days that was refused because of the key's networks. */
  lastOutside: { at: string; from: string | null } | null
  predecessor: KeyOverview | null
  /** Direct and indirect, up to a limit. */
  successors: KeyOverview[]
}

const DAYS_SHOWN = 30

export async function readKeyDetail(
  tx: Transaction,
  workspaceId: string,
  keyId: string,
  clock: OverviewClock,
): Promise<KeyDetail | undefined> {
  const successors = (await keysAfter(tx, [keyId])).map(({ id }) => id).filter((id) => id !== keyId)
  const overviewsOf = (...ids: string[]) => readOverviews(tx, workspaceId, ids, clock)
  const [key] = await overviewsOf(keyId)
  if (key === undefined) return undefined
  const days = lastDaysIn(clock.timezone, clock.nowMs, DAYS_SHOWN)
  return {
    ...key,
    useCount: (await useCounts(tx, [keyId])).get(keyId) ?? 0,
    days: (await readDays(tx, [keyId], days)).get(keyId) ?? [],
    callers: await callersOf(tx, keyId),
    lastOutside: await findLastOutside(tx, keyId, days),
    predecessor: (key.replaces && (await overviewsOf(key.replaces))[0]) || null,
    successors: await overviewsOf(...successors),
  }
}
