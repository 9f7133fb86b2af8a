import { isoOf } from '../lib/instant.ts'
import type { List } from './definition.ts'
import { type ListRows, rowIn } from './rows.ts'
import { keyOf } from './sort-key.ts'

/** When a response changes without a write, in milliseconds. `followsDue`: it also depends on which rows are overdue. */
export async function untilOf(list: List, rows: ListRows, now: number, followsDue: boolean): Promise<number> {
  if (rows.revision === undefined) return rows.nextShown
  // A row is not overdue yet at the moment at which it falls due.
  return followsDue ? Math.min(rows.nextShown, (await nextDue(list, rows, now)) + 1) : rows.nextShown
}

async function nextDue({ due }: List, rows: ListRows, now: number): Promise<number> {
  if (due === undefined) return Number.POSITIVE_INFINITY
  for await (const [first] of rows.walk({ from: keyOf('instant', isoOf(now)), before: keyOf('instant', null) }))
    if (first !== undefined) return Date.parse(String(rowIn(first)[due]))
  return Number.POSITIVE_INFINITY
}
