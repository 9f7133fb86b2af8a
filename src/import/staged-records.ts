import type { Difference, OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import type { Row, Table } from '../database/table.ts'
import { counted } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Input } from './frame.ts'
import { type ParseOptions, parseRecords, type RecordListener } from './parse-records.ts'

/** What an import or a sync works with. */
export interface Load extends RecordListener {
  store: OperatorStore
  table: Table
  actor: string
  clock(): string
}

export async function withStaging<T>({ store, table }: Load, work: (staging: Staging) => Promise<T>): Promise<T> {
  const staging = store.stage(table)
  try {
    return await work(staging)
  } finally {
    // A failed cleanup must not hide the result: `doctor` reports rows that a large change left behind.
    await staging.discard().catch(() => {})
  }
}

/** If true, no row, revision or audit entry is written. */
export const changesNothing = ({ created, changed, gone }: Difference): boolean => created + changed + gone === 0

/** Returns the number of records. If any is bad, `rejection` creates the error. */
export async function stageRecords(
  load: Load,
  staging: Staging,
  input: Input,
  options: ParseOptions,
  rejection: (why: string) => Error,
): Promise<number> {
  let records = 0
  const stage = async (rows: Row[]) => {
    records += rows.length
    await staging.add(rows)
  }
  const badRecords = await parseRecords(input, load.table, load, stage, options)
  if (badRecords > 0) throw rejection(counted(badRecords, 'bad record'))
  return records
}

/** After this many comparisons that other processes' changes made obsolete, rows are compared within the transaction. */
const MAX_ATTEMPTS = 3

/** Everything slow happens before the transaction. */
export async function storeStaged<T>(
  { store, clock }: Load,
  staging: Staging,
  scope: StagingScope,
  slug: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await staging.writeAhead(scope, clock())
    const stored = await store.transaction(async (tx) => {
      const { id } = await workspaceOrThrow(tx, slug)
      if (id !== scope.workspaceId) throw new UserError(`${slug} is now another workspace; try again`)
      const isCurrent = attempt >= MAX_ATTEMPTS || (await staging.isCurrent(scope, tx))
      return isCurrent ? { value: await work(tx) } : undefined
    })
    if (stored !== undefined) return stored.value
  }
}
