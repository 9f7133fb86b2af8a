import type { Admission } from '../database/store.ts'
import { UTC, zoneNamed } from '../database/timezones.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf, toInstant } from '../lib/instant.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import { wallTimeOf, type Zone } from '../lib/zone.ts'
import type { DaysWord } from '../resources/list-arguments.ts'
import type { ResponseCache } from '../resources/response-cache.ts'
import { servedWorkspace } from '../resources/workspace/records.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** The first instant that is stored: in zones ahead of UTC the year 1 begins before it. */
const EARLIEST_MS = wallTimeOf(1, 1, 1)

/** Returns an instant in canonical form, or a date as it was written. */
export function toMoment(text: string): string | undefined {
  if (!DATE.test(text)) return toInstant(text)
  return toInstant(`${text}T00:00:00Z`) === undefined ? undefined : text
}

/** A date means the beginning of its day, or of the next if the clocks skip all of it. */
export function instantOf(moment: string, zone: Zone): string {
  const [, year, month, day] = DATE.exec(moment) ?? []
  if (day === undefined) return moment
  const midnight = wallTimeOf(Number(year), Number(month), Number(day))
  return isoOf(Math.max(zone.startOfDay(midnight), EARLIEST_MS))
}

export const dateIn = (zone: Zone, instantMs: number): string => isoOf(zone.wallTime(instantMs)).slice(0, 10)

/** For many instants on few days: formatting a date takes longest. */
export function datesIn(zone: Zone): (instant: string) => string {
  const dates = new Map<number, string>()
  return (instant) => {
    const instantMs = Date.parse(instant)
    const day = Math.floor(zone.wallTime(instantMs) / DAY_MS)
    const date = dates.get(day) ?? dateIn(zone, instantMs)
    dates.set(day, date)
    return date
  }
}

/** From the first instant to before the second, in milliseconds; null if it is open on that side. */
export type Window = readonly [from: number | null, to: number | null]

/** What words such as `today` mean at this moment. */
export function windowOf(word: Exclude<DaysWord, 'none'>, zone: Zone, now: number): Window {
  const today = Math.floor(zone.wallTime(now) / DAY_MS)
  const start = (day: number) => zone.startOfDay(day * DAY_MS)
  // 1 January 1970 was a Thursday, three days after a Monday.
  const monday = today - ((((today + 3) % 7) + 7) % 7)
  const windows: Record<typeof word, Window> = {
    overdue: [null, now],
    today: [start(today), start(today + 1)],
    tomorrow: [start(today + 1), start(today + 2)],
    this_week: [start(monday), start(monday + 7)],
    next_7_days: [now, start(today + 7)],
  }
  return windows[word]
}

export const endOfToday = (zone: Zone, now: number): number => windowOf('today', zone, now)[1] as number

export interface WorkspaceClock {
  timezone: string | null
  /** UTC, if the workspace has no timezone or the runtime does not know it. */
  zone: Zone
  weight: number
}

const CACHE_KEY = 'mcp clock'
/** Without the zone, which is shared by all workspaces. */
const CLOCK_BYTES = 200

const clockOf = (timezone: string | null): WorkspaceClock => ({
  timezone,
  zone: timezone === null ? UTC : zoneNamed(timezone),
  weight: CLOCK_BYTES,
})

/** Also used for workspaces that are not available. */
export const NO_CLOCK = clockOf(null)

export function workspaceClock(cache: ResponseCache, admission: Admission): MaybePromise<WorkspaceClock> {
  const clock = cache.getOrRead(CACHE_KEY, admission, async (store, viewpoint) => {
    const workspace = await servedWorkspace(store, viewpoint)
    return workspace && { value: clockOf(workspace.timezone), until: Number.POSITIVE_INFINITY }
  })
  return whenReady(clock, (read) => read ?? NO_CLOCK)
}

/** For a model that got a date wrong. */
export const todayIs = ({ timezone, zone }: WorkspaceClock, now: number): string =>
  `Today is ${dateIn(zone, now)}, and a date begins at midnight in ${timezone === null || zone === UTC ? 'UTC' : timezone}.`
