/**
 * What the clocks of a timezone show.
 * @param {string} timezone an IANA name
 */
export function clocksOf(timezone) {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ weekday: 'long', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })

  /**
   * At an instant, such as { weekday: 'Monday', date: '2026-11-16', time: '23:59' }.
   * @param {Date} instant
   */
  function at(instant) {
    /** @type {Record<string, string>} */
    const shown = {}
    for (const { type, value } of format.formatToParts(instant)) shown[type] = value
    const { weekday, year = '', month, day, hour, minute } = shown
    return { weekday, date: `${year.padStart(4, '0')}-${month}-${day}`, time: `${hour}:${minute}` }
  }

  /**
   * Whether it is the last second of a day. That is how Vitrine imports a due date without a time: 23:59:59 in the
   * workspace's timezone, or earlier where the clocks skip the end of that day.
   * @param {Date} instant
   */
  const isEndOfDay = (instant) => at(instant).date !== at(new Date(instant.getTime() + 1000)).date

  return { at, isEndOfDay }
}
