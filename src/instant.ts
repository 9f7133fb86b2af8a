const RFC_3339 = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:)(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/**
 * Reads an RFC 3339 date-time and gives the same instant in the one form that Vitrine stores, compares and answers:
 * UTC, to the millisecond (finer digits are cut off). Undefined if it is not one, or no such day or hour exists.
 */
export function toInstant(text: string): string | undefined {
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [, upToMinute = '', second = '', fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] = match
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined
  const isLeapSecond = second === '60'
  const wallClock = `${upToMinute}${isLeapSecond ? '59' : second}`.toUpperCase()
  const asUtc = Date.parse(`${wallClock}Z`)
  // Date rolls February 30 over into March: only what comes back unchanged was a real day and hour.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(wallClock)) return undefined
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const instant = new Date(asUtc - offsetMs + millisecond)
  if (isLeapSecond) {
    if (!instant.toISOString().endsWith(`23:59:59.${String(millisecond).padStart(3, '0')}Z`)) return undefined
    instant.setTime(instant.getTime() + 1000)
  }
  const year = instant.getUTCFullYear()
  return year >= 1 && year <= 9999 ? instant.toISOString() : undefined
}
