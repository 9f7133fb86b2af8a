import type { Admission } from '../../database/store.ts'
import { UTC, zoneNamed } from '../../database/timezones.ts'
import { toInstant } from '../../lib/instant.ts'
import { type MaybePromise, whenReady } from '../../lib/maybe-promise.ts'
import { wallTimeOf, type Zone } from '../../lib/zone.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'

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
  return new Date(Math.max(zone.startOfDay(midnight), EARLIEST_MS)).toISOString()
}

export const dateIn = (zone: Zone, instantMs: number): string =>
  new Date(zone.wallTime(instantMs)).toISOString().slice(0, 10)

export interface WorkspaceClock {
  timezone: string | null
  /** UTC, if the workspace has no timezone or the runtime does not know it. */
  zone: Zone
  weight: number
}

const QUESTION = '2026-07-28 clock'
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
  const clock = cache.ask(QUESTION, admission, async (store, { workspaceId }) => {
    const timezone = await store.timezoneOf(workspaceId)
    return timezone === undefined ? undefined : { value: clockOf(timezone), until: Number.POSITIVE_INFINITY }
  })
  return whenReady(clock, (read) => read ?? NO_CLOCK)
}

/** For a model that got a date wrong. */
export const todayIs = ({ timezone, zone }: WorkspaceClock, now: number): string =>
  `Today is ${dateIn(zone, now)}, and a date begins at midnight in ${timezone === null || zone === UTC ? 'UTC' : timezone}.`
