import type { Admission } from '../../database/store.ts'
import { UTC, zoneNamed } from '../../database/timezones.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Zone } from '../../lib/zone.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { dateIn } from './dates.ts'

/** By what a workspace tells the day. */
export interface WorkspaceClock {
  /** As it is answered. */
  timezone: string | null
  /** UTC, if the workspace has none or the runtime does not know it. */
  zone: Zone
  weight: number
}

const QUESTION = { asks: 'the clock of the workspace' }
/** Zones are shared by all workspaces: there are as many as timezones. */
const CLOCK_BYTES = 200

const clockOf = (timezone: string | null): WorkspaceClock => ({
  timezone,
  zone: timezone === null ? UTC : zoneNamed(timezone),
  weight: CLOCK_BYTES,
})

/** Of a workspace that is not available too. */
export const NO_CLOCK = clockOf(null)

export function workspaceClock(cache: ResponseCache, admission: Admission): MaybePromise<WorkspaceClock> {
  const clock = cache.ask(QUESTION, admission, async (store, { workspaceId }) => {
    const timezone = await store.timezoneOf(workspaceId)
    return timezone === undefined ? undefined : { value: clockOf(timezone), until: Number.POSITIVE_INFINITY }
  })
  return clock instanceof Promise ? clock.then((read) => read ?? NO_CLOCK) : (clock ?? NO_CLOCK)
}

/** A sentence for a model that got a date wrong. */
export const todayIs = ({ timezone, zone }: WorkspaceClock, now: number): string =>
  `Today is ${dateIn(zone, now)}, and a date begins at midnight in ${timezone === null || zone === UTC ? 'UTC' : timezone}.`
