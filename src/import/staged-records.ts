import type { OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import type { Row, Table } from '../database/table.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { counted } from './difference.ts'
import { type ParseOptions, parseRecords, type RecordListener } from './parse-records.ts'

/** Stages the records of a file, and returns how many there are. If any of them is bad, `refusal` creates the error. */
export async function stageRecords(
  staging: Staging,
  chunks: AsyncIterable<Buffer>,
  table: Table,
  listener: RecordListener,
  options: ParseOptions,
  refusal: (why: string) => Error,
): Promise<number> {
  let records = 0
  const stage = async (rows: Row[]) => {
    records += rows.length
    for (const row of rows) staging.add(row)
    await staging.flush()
  }
  const badRecords = await parseRecords(chunks, table, listener, stage, options)
  if (badRecords > 0) throw refusal(counted(badRecords, 'bad line', 'bad lines'))
  return records
}

/** How often rows are compared anew because another process changed them meanwhile. Then they are compared within the transaction. */
const MAX_ATTEMPTS = 3

/** Runs the transaction that writes staged rows, after everything that would take long within it. */
export async function storeStaged<T>(
  store: OperatorStore,
  staging: Staging,
  scope: StagingScope,
  { slug, now }: { slug: string; now: string },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await staging.writeAhead(scope, now)
    const stored = await store.transaction(async (tx) => {
      const { id } = await workspaceOrThrow(tx, slug)
      if (id !== scope.workspaceId) throw new UserError(`${slug} has become another workspace meanwhile; try again`)
      const isCurrent = attempt >= MAX_ATTEMPTS || (await staging.isCurrent(scope, tx))
      return isCurrent ? { value: await work(tx) } : undefined
    })
    if (stored !== undefined) return stored.value
  }
}
