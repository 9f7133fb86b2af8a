/** What the queries of both engines have in common: sqlite.ts and postgres.ts. */

import type { CurrentRows } from '../../database/table.ts'

/** Open, and not snoozed into the future. */
export const currentTasks: CurrentRows = {
  sql: `status = 'open' AND (snoozed_until IS NULL OR snoozed_until <= ?)`,
  whyNot({ status, snoozedUntil }, now) {
    if (status !== 'open') return String(status)
    return typeof snoozedUntil === 'string' && snoozedUntil > now ? `snoozed until ${snoozedUntil}` : undefined
  },
}

/**
 * A snooze ends by the passing of time, which changes no row and which no index notices. The column snooze_expired notes that
 * it has been seen to have ended, so that the task stands in the indexes of current tasks. A read finds the tasks whose snooze
 * has ended since anybody looked by the moment it ends, and sorts them in among the others, which is quick as long as they
 * are few. Where they are many it has them marked in the background.
 *
 * A mark is no answer. Every task found is still judged by its own snoozed_until, so neither a clock that was set back nor
 * a mark that is missing or wrong can show a snoozed task or hide a current one.
 */
export const MANY_UNMARKED = 100

/** The arguments that narrow the list, beside its limit. */
export interface Filters {
  bookKey?: string | undefined
  /** Compared without regard to the case of ASCII letters. */
  assigneeEmail?: string | undefined
  dueBefore?: string | undefined
}

export interface TaskArguments extends Filters {
  limit: number
}

/** What the body begins and ends with; between them come the tasks, with commas. */
export const [BEFORE, AFTER] = ['{"tasks":[', ']}']
