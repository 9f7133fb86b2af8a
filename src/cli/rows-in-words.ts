import { counted } from '../lib/format-count.ts'

/** All rows of a database, by table. */
export const rowsInWords = (counts: ReadonlyMap<string, number>): string =>
  counted(
    counts.values().reduce((sum, count) => sum + count, 0),
    'row',
  )
