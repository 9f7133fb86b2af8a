import type { Staging } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted } from './difference.ts'
import { type ReadListener, type ReadOptions, readRecords } from './read-records.ts'

/** Stages the records of a file, and returns how many there are. If any of them is bad, `refuse` makes an error of it. */
export async function stageRecords(
  staging: Staging,
  chunks: AsyncIterable<Buffer>,
  table: Table,
  listener: ReadListener,
  options: ReadOptions,
  refuse: (why: string) => Error,
): Promise<number> {
  let records = 0
  const badRecords = await readRecords(
    chunks,
    table,
    listener,
    async (rows) => {
      records += rows.length
      for (const row of rows) staging.add(row)
      await staging.flush()
    },
    options,
  )
  if (badRecords > 0) throw refuse(counted(badRecords, 'bad line', 'bad lines'))
  return records
}
