import type { Difference, OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import type { Row, Table } from '../database/table.ts'
import { counted } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { type ParseOptions, parseRecords, type RecordListener } from './parse-records.ts'

/** Discards what was staged in the end, whatever became of it. */
export async function withStaging<T>(
  store: OperatorStore,
  table: Table,
  work: (staging: Staging) => Promise<T>,
): Promise<T> {
  const staging = store.stage(table)
  try {
    return await work(staging)
  } finally {
    // A failure here must not hide the outcome: what is staged goes away with the connection, and `doctor` names rows that a large
    // change could not put back.
    await staging.discard().catch(() => {})
  }
}

/** Then nothing is written: no row, no revision, no audit entry. */
export const changesNothing = ({ created, changed, gone }: Difference): boolean => created + changed + gone === 0

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
