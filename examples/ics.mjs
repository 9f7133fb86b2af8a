import { clocksOf } from './local-time.mjs'

/** RFC 5545, section 3.1, without the line break. */
const MAX_LINE_BYTES = 75

/**
 * Writes a calendar (RFC 5545) of the tasks that have a due date, as events, since Google Calendar and Outlook do not show a feed's to-dos.
 * A task that is due on a day is an all-day event. Others are at their due time in UTC, which a calendar shows in the reader's timezone.
 * @param {import('vitrine-client').Workspace} workspace
 * @param {{ tasks: readonly import('vitrine-client').ListedTask<{ fields: ['details', 'dueAt', 'assigneeName'] }>[], note: string }} dated the note is empty if no task is left out
 * @param {Date} now
 */
export function calendar(workspace, { tasks, note }, now) {
  const timezone = workspace.timezone ?? 'UTC'
  const clocks = clocksOf(timezone)
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Vitrine//Due dates//EN',
    `X-WR-CALNAME:${text(workspace.name)}`,
    `X-WR-TIMEZONE:${text(timezone)}`,
    ...(note === '' ? [] : [`X-WR-CALDESC:${text(note)}`]),
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ]
  for (const { id, title, details, dueAt, assigneeName } of tasks) {
    if (dueAt === null) continue
    const due = new Date(dueAt)
    const day = clocks.at(due).date.replaceAll('-', '')
    const description = [assigneeName && `Assigned to ${assigneeName}`, details].filter(Boolean).join('\n\n')
    lines.push(
      'BEGIN:VEVENT',
      `UID:${text(`${id}@${workspace.id}`)}`,
      `DTSTAMP:${utc(now)}`,
      clocks.isEndOfDay(due) ? `DTSTART;VALUE=DATE:${day}` : `DTSTART:${utc(due)}`,
      `SUMMARY:${text(title)}`,
      ...(description === '' ? [] : [`DESCRIPTION:${text(description)}`]),
      // The event does not block time.
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    )
  }
  lines.push('END:VCALENDAR', '')
  return lines.map(fold).join('\r\n')
}

/** @param {Date} instant */
const utc = (instant) => instant.toISOString().replace(/\.\d+|[-:]/g, '')

/**
 * Section 3.3.11: backslash, semicolon, comma and line break are escaped; other control characters are not allowed.
 * @param {string} value
 */
const text = (value) =>
  value
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|\r|\n/g, '\\n')
    .replace(/(?!\t)\p{Cc}/gu, '')

/**
 * Section 3.1: a long line continues after a line break and a space. Characters are not split.
 * @param {string} line
 */
function fold(line) {
  let folded = ''
  let bytes = 0
  for (const character of line) {
    const size = new TextEncoder().encode(character).length
    if (bytes + size > MAX_LINE_BYTES) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += size
  }
  return folded
}
