import { clocksOf } from './local-time.mjs'

/** A response has no more, those with a due date first. */
const MAX_TASKS = 100

/**
 * What is overdue, and what is due on the rest of the day, as the clocks of the workspace's timezone show it.
 * @param {import('vitrine-client').Workspace} workspace
 * @param {readonly import('vitrine-client').Task[]} tasks
 * @param {Date} now
 */
export function digest(workspace, tasks, now) {
  const timezone = workspace.timezone ?? 'UTC'
  const clocks = clocksOf(timezone)
  const { weekday, date: today } = clocks.at(now)

  /** @type {string[]} */
  const overdue = []
  /** @type {string[]} */
  const dueToday = []
  let withoutDate = 0
  for (const { title, dueAt, assigneeName } of tasks) {
    if (dueAt === null) {
      withoutDate++
      continue
    }
    const due = new Date(dueAt)
    const { date, time } = clocks.at(due)
    const when = [date !== today && date, !clocks.isEndOfDay(due) && time].filter(Boolean).join(' ')
    const line = `- ${[plain(title), when && `due ${when}`, plain(assigneeName ?? '')].filter(Boolean).join(', ')}`
    if (due < now) overdue.push(line)
    else if (date === today) dueToday.push(line)
  }

  const lines = [`${plain(workspace.name)}, ${weekday} ${today} (${timezone})`]
  if (overdue.length > 0) lines.push('', `Overdue (${overdue.length})`, ...overdue)
  if (dueToday.length > 0) lines.push('', `Due today (${dueToday.length})`, ...dueToday)
  else lines.push('', overdue.length > 0 ? 'Nothing else is due today.' : 'Nothing is due today.')
  if (withoutDate > 0) lines.push('', `Without a due date: ${withoutDate}`)
  if (tasks.length === MAX_TASKS) lines.push('', `These are the first ${MAX_TASKS} tasks; there may be more.`)
  return lines.join('\n')
}

/**
 * Titles come from other people: no line breaks, and nothing that a terminal would obey.
 * @param {string} text
 */
const plain = (text) => text.replace(/\p{Cc}+/gu, ' ')
