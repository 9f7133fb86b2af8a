import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { emptyTask, type TaskRow } from '../../../resources/tasks/columns.ts'
import sketches from './tasks.json' with { type: 'json' }

/** In tasks.json, tasks refer to assignees and sources by these keys. */
const people: Record<string, string[]> = sketches.people
const sessions: Record<string, string[]> = sketches.sessions

/** They are due at 17:00, `due` days from today. */
export function demoTasks(now: number): TaskRow[] {
  const { tasks } = sketches
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return tasks.map(({ title, due, book = null, who = '', from = '', snoozedHours, ...others }, i) => {
    const [assigneeName = null, assigneeEmail = null] = people[who] ?? []
    const [sourceSessionId = null, sourceTitle = null, sourceSummary = null, sourceKind = null] = sessions[from] ?? []
    return {
      ...{ ...emptyTask, ...others, id: `task_${String(i + 1).padStart(3, '0')}`, title, bookKey: book },
      ...{ assigneeName, assigneeEmail, sourceSessionId, sourceTitle, sourceSummary, sourceKind },
      dueAt: due === undefined ? null : isoOf(today + due * DAY_MS + 17 * HOUR_MS),
      snoozedUntil: snoozedHours === undefined ? null : isoOf(now + snoozedHours * HOUR_MS),
      createdAt: isoOf(now - (tasks.length - i) * 5 * HOUR_MS),
    }
  })
}
