import type { PublicStore } from '../../src/database/store.ts'
import type { CountRequest, Filters } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import type { Resource } from '../../src/resources/define.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { median } from '../report/statistics.ts'
import { WORKSPACE } from './databases.ts'
import { NOW } from './question-tasks.ts'

const DAY_MS = 86_400_000
const instant = (days: number) => new Date(NOW + days * DAY_MS).toISOString()

/** Each finds about as much in a small workspace as in a large one, unless it says otherwise. */
export const QUESTIONS: Record<string, Question> = {
  'a rare word': { filters: { query: ['zéphyr'] } },
  'two words': { filters: { query: ['linen', 'confirm'] } },
  'a word that all have': { filters: { query: ['confirm'] } },
  'two letters': { filters: { query: ['zé'] } },
  'of a session': { filters: { sourceSessionId: 'session_3' } },
  unassigned: { filters: { unassigned: true } },
  undated: { filters: { undated: true } },
  'due in a day': { filters: { dueAfter: instant(1), dueBefore: instant(2) } },
  'by ids': { filters: { ids: ['task_1', 'task_50', 'task_99'] } },
  'all, with the total': { filters: {} },
  'counted by assignee, of a rare word': { filters: { query: ['zéphyr'] }, countBy: 'assignee' },
  'counted by assignee, all': { filters: {}, countBy: 'assignee' },
  'suggestions for a book': { filters: { bookKey: 'bok3' } },
}

/** Without a `limit`, twenty rows and the total. */
export interface Question {
  filters: Filters
  countBy?: string
  limit?: number
}

export interface Cost {
  medianMs: number
  /** The longest turns of the event loop, in which other requests wait. */
  stallMs: number
}

export async function measureQuestion(
  store: PublicStore,
  { filters, countBy, limit }: Question,
  reads: number,
  /** Of the thread, or of the wall where another process does the work. */
  clockMs: () => number = cpuMs,
  { list }: Resource = tasks,
): Promise<Cost> {
  const scope = { workspaceId: WORKSPACE, now: NOW, only: null }
  const dateOf: CountRequest['dateOf'] = (at) => at.slice(0, 10)
  if (list === undefined) throw new Error('the resource is not a list')
  const reader = readerOf(store, list)
  const ask = () => {
    if (countBy !== undefined) return reader.counts(scope, { filters, by: countBy, dateOf })
    return reader.page(scope, { filters, limit: limit ?? 20, withTotal: limit === undefined })
  }
  await ask()
  const costs: number[] = []
  const turns = new Turns()
  for (let i = 0; i < reads; i++) {
    const startedAt = clockMs()
    await ask()
    costs.push(clockMs() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  turns.stop()
  return { medianMs: median(costs), stallMs: median(turns.longest(reads)) }
}

/** Of this thread, so that other programs on the machine count for little. */
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

class Turns {
  readonly #costs: number[] = []
  #last = cpuMs()
  #immediate = setImmediate(() => this.#turn())

  #turn(): void {
    const now = cpuMs()
    this.#costs.push(now - this.#last)
    this.#last = now
    this.#immediate = setImmediate(() => this.#turn())
  }

  stop = () => clearImmediate(this.#immediate)

  /** About one per read. */
  longest = (reads: number): number[] => this.#costs.toSorted((a, b) => b - a).slice(0, reads)
}
