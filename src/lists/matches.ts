import type { RowCondition } from './filters.ts'
import type { Place } from './query.ts'
import { type ListedRow, type ListRows, rowIn } from './rows.ts'

/** The rows that fulfil a condition, in order, a few at a time. */
export async function* matchesOf(
  rows: Pick<ListRows, 'walk'>,
  { matches, ...condition }: RowCondition,
  after?: Place,
): AsyncGenerator<readonly ListedRow[]> {
  for await (const some of rows.walk({ ...condition, ...(after !== undefined && { after }) }))
    yield matches === undefined ? some : some.filter((row) => matches(rowIn(row)))
}

interface CollectOptions {
  kept: number
  most: number
  after?: Place | undefined
  onRow?: (row: ListedRow) => void
}

/** The first `kept` of them, and how many there are, up to `most`. */
export async function collect(
  rows: ListRows,
  condition: RowCondition,
  { kept, most, after, onRow }: CollectOptions,
): Promise<{ first: ListedRow[]; count: number }> {
  const first: ListedRow[] = []
  let count = 0
  for await (const some of matchesOf(rows, condition, after)) {
    if (first.length < kept) first.push(...some.slice(0, kept - first.length))
    if (onRow !== undefined) some.forEach(onRow)
    count += some.length
    if (count >= most) break
  }
  return { first, count: Math.min(count, most) }
}
