import { readFileSync } from 'node:fs'
import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { emptyTask, type TaskRow } from '../../../resources/tasks/columns.ts'

/** Assignees and sources are named by their keys in `people` and `sessions`. */
interface Sketch extends Partial<Pick<TaskRow, 'details' | 'status'>> {
  title: string
  /** Days from today, due at 17:00. */
  due?: number
  book?: string
  who?: string
  from?: string
  snoozedHours?: number
}

interface Demo {
  people: Record<string, string[]>
  sessions: Record<string, string[]>
  tasks: Sketch[]
}

export function demoTasks(now: number): TaskRow[] {
  const file = new URL('./tasks.json', import.meta.url)
  const { people, sessions, tasks } = JSON.parse(readFileSync(file, 'utf8')) as Demo
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
