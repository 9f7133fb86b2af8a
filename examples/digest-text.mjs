import { clocksOf } from './local-time.mjs'

const FIELDS = /** @type {const} */ (['dueAt', 'assigneeName'])

/** @typedef {import('vitrine-client').ListTasksResult<{ fields: typeof FIELDS }>} Page */
const DAY_MS = 86_400_000

/**
 * Asks for each part separately, so that many overdue tasks do not hide today's.
 * @param {import('vitrine-client').Workspace} workspace
 * @param {Date} now
 */
export function questionsOf({ timezone }, now) {
  const { date } = clocksOf(timezone ?? 'UTC').at(now)
  // To Vitrine, a date means its beginning in the workspace's timezone.
  const tomorrow = new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10)
  return {
    overdue: { dueBefore: now.toISOString(), fields: FIELDS },
    today: { dueAfter: now.toISOString(), dueBefore: tomorrow, fields: FIELDS },
    undated: { due: /** @type {const} */ ('none'), limit: 1, fields: FIELDS },
  }
}

/**
 * Lists what is overdue and what is due on the rest of the day, in the workspace's timezone.
 * @param {import('vitrine-client').Workspace} workspace
 * @param {Record<'overdue' | 'today' | 'undated', Pick<Page, 'tasks' | 'total' | 'totalIsMinimum'>>} pages
 * @param {Date} now
 */
export function digest(workspace, { overdue, today, undated }, now) {
  const timezone = workspace.timezone ?? 'UTC'
  const clocks = clocksOf(timezone)
  const { weekday, date: thisDay } = clocks.at(now)

  /** @param {Page['tasks'][number]} task */
  const line = ({ title, dueAt, assigneeName }) => {
    const due = new Date(dueAt ?? now)
    const { date, time } = clocks.at(due)
    const when = [date !== thisDay && date, !clocks.isEndOfDay(due) && time].filter(Boolean).join(' ')
    return `- ${[plain(title), when && `due ${when}`, plain(assigneeName ?? '')].filter(Boolean).join(', ')}`
  }
  /** @param {string} heading @param {typeof overdue} page */
  const section = (heading, page) => {
    const left = { ...page, total: page.total - page.tasks.length }
    const more = left.total > 0 ? [`- and ${count(left)} more`] : []
    return ['', `${heading} (${count(page)})`, ...page.tasks.map(line), ...more]
  }

  const lines = [`${plain(workspace.name)}, ${weekday} ${thisDay} (${timezone})`]
  if (overdue.total > 0) lines.push(...section('Overdue', overdue))
  if (today.total > 0) lines.push(...section('Due today', today))
  else lines.push('', overdue.total > 0 ? 'Nothing else is due today.' : 'Nothing is due today.')
  if (undated.total > 0) lines.push('', `Without a due date: ${count(undated)}`)
  return lines.join('\n')
}

/** @param {Pick<Page, 'total' | 'totalIsMinimum'>} page */
const count = ({ total, totalIsMinimum }) => `${totalIsMinimum ? 'at least ' : ''}${total}`

/**
 * Titles come from other people, so line breaks and characters that control a terminal are replaced.
 * @param {string} text
 */
export const plain = (text) => text.replace(/\p{Cc}+/gu, ' ')
