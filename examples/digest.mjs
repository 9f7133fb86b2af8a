/**
 * Prints what is overdue and what is due today, in the workspace's timezone:
 *   node digest.mjs | mail -s 'Today' team@example.com
 * With a time as its argument, such as 2026-11-16T07:00:00Z, it prints what it would have printed then.
 */
import process from 'node:process'
import { Vitrine, VitrineError } from 'vitrine-client'
import { clocksOf } from './local-time.mjs'

/** A response has no more, those with a due date first. */
const MAX_TASKS = 100

const now = new Date(process.argv[2] ?? Date.now())

/**
 * @param {import('vitrine-client').Workspace} workspace
 * @param {readonly import('vitrine-client').Task[]} tasks
 */
function digest(workspace, tasks) {
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

try {
  if (Number.isNaN(now.getTime())) throw new TypeError(`not a time: ${process.argv[2]}`)
  const vitrine = new Vitrine({ url: process.env.VITRINE_URL, key: process.env.VITRINE_KEY })
  const [{ workspace }, { tasks }] = await Promise.all([vitrine.get('/workspace'), vitrine.get('/tasks')])
  console.log(digest(workspace, tasks))
} catch (error) {
  if (!(error instanceof VitrineError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
