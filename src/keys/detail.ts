import type { IncidentKind, Transaction } from '../database/store.ts'
import { lastDaysIn } from '../database/timezones.ts'
import {
  callersOf,
  type DayOfIncidents,
  type DayOfUse,
  daysOfIncidents,
  daysOfUse,
  findLastOutside,
  type KeyCaller,
  useCounts,
} from './history.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import { findKeys, keysAfter } from './records.ts'

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

export interface KeyDay {
  /** A day in the workspace's timezone, such as 2026-11-15. */
  day: string
  answered: number
  refused: Partial<Record<IncidentKind, number>>
}

const DAYS_SHOWN = 30

export async function readKeyDetail(
  tx: Transaction,
  workspaceId: string,
  keyId: string,
  clock: OverviewClock,
): Promise<KeyDetail | undefined> {
  const [key] = await findKeys(tx, workspaceId, [keyId])
  if (key === undefined) return undefined
  const successors = (await keysAfter(tx, workspaceId, [keyId])).map(({ id }) => id).filter((id) => id !== keyId)
  const others = key.replaces === null ? successors : [key.replaces, ...successors]
  const overviews = await readOverviews(tx, workspaceId, [keyId, ...others], clock)
  const overview = overviews.find(({ id }) => id === keyId)
  if (overview === undefined) return undefined

  const days = lastDaysIn(clock.timezone, clock.nowMs, DAYS_SHOWN)
  const itself = { workspaceId, ids: [keyId] }
  const uses = await daysOfUse(tx, itself, days)
  const incidents = await daysOfIncidents(tx, keyId, days)
  return {
    ...overview,
    useCount: (await useCounts(tx, itself)).get(keyId) ?? 0,
    days: days.map((day) => dayOf(day, uses, incidents)),
    callers: await callersOf(tx, keyId),
    lastOutside: await findLastOutside(tx, keyId, days),
    predecessor: overviews.find(({ id }) => id === key.replaces) ?? null,
    successors: overviews.filter(({ id }) => successors.includes(id)),
  }
}

/** Warnings are not refusals, except for browsers that call MCP: those are refused, and already counted as uses. */
function dayOf(day: string, uses: readonly DayOfUse[], incidents: readonly DayOfIncidents[]): KeyDay {
  let [count, refused] = [0, 0]
  for (const use of uses.filter((each) => each.day === day)) {
    count += use.count
    refused += use.refused
  }
  const counts: Partial<Record<IncidentKind, number>> = {}
  for (const each of incidents) if (each.day === day) counts[each.kind] = (counts[each.kind] ?? 0) + each.count
  const { url: _, browser: inBrowser = 0, ...refusals } = counts
  const otherwise = refused - (refusals.over_quota ?? 0) - (refusals.forbidden ?? 0)
  const browser = Math.min(inBrowser, otherwise)
  return { day, answered: count - refused, refused: { ...refusals, ...(browser > 0 && { browser }) } }
}
