import { DAY_MS, SECOND_MS } from './duration.ts'

/** Files span a few years of dates, and looking up an offset is slow. */
const MAX_CACHED_DAYS = 10_000

/** Wall-clock times are in milliseconds, as if they were UTC. */
export class Zone {
  readonly #format: Intl.DateTimeFormat | undefined
  readonly #offsetOfDay = new Map<number, number>()

  /** Expects an IANA name that the runtime supports. */
  constructor(name: string) {
    this.#format =
      name === 'UTC' ? undefined : new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  }

  wallTime(instantMs: number): number {
    return instantMs + this.#offsetAt(instantMs)
  }

  /** The first instant of a wall-clock time. A skipped time is moved forward by the length of the gap. */
  instantOf(wallMs: number): number {
    const { before, offset = before } = this.#around(wallMs)
    return wallMs - offset
  }

  /** Where the clocks skip midnight, the day begins with the jump. */
  startOfDay(midnightMs: number): number {
    const { before, after, offset } = this.#around(midnightMs)
    if (offset !== undefined) return midnightMs - offset
    let [early, late] = [midnightMs - after, midnightMs - before]
    while (late - early > SECOND_MS) {
      const middle = Math.floor((early + late) / 2 / SECOND_MS) * SECOND_MS
      if (this.#offsetAt(middle) === after) late = middle
      else early = middle
    }
    return late
  }

  /** `offset` is the first of two if the time repeats, and undefined in a gap. */
  #around(wallMs: number): { before: number; after: number; offset?: number } {
    const [before, after] = [this.#offsetAt(wallMs - DAY_MS), this.#offsetAt(wallMs + DAY_MS)]
    const offset = [before, after].find((candidate) => this.#offsetAt(wallMs - candidate) === candidate)
    return { before, after, ...(offset !== undefined && { offset }) }
  }

  /** Cached for UTC days on which the offset does not change. */
  #offsetAt(instantMs: number): number {
    if (this.#format === undefined) return 0
    const day = Math.floor(instantMs / DAY_MS)
    const cached = this.#offsetOfDay.get(day)
    if (cached !== undefined) return cached
    const first = this.#shownOffset(this.#format, day * DAY_MS)
    if (first !== this.#shownOffset(this.#format, (day + 1) * DAY_MS - SECOND_MS))
      return this.#shownOffset(this.#format, instantMs)
    if (this.#offsetOfDay.size >= MAX_CACHED_DAYS) this.#offsetOfDay.clear()
    this.#offsetOfDay.set(day, first)
    return first
  }

  /** Shown as GMT, GMT+02:00 or, before standard time, GMT-04:56:02. */
  #shownOffset(format: Intl.DateTimeFormat, instantMs: number): number {
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(instantMs)) ?? []
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS
    return sign === '-' ? -ms : ms
  }
}

const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/

/** Unlike Date.UTC, does not turn the years 1 to 99 into 1901 to 1999. */
export const wallTimeOf = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * SECOND_MS
