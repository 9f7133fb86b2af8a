import type { Difference, OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { RecordListener } from './parse-records.ts'

export interface ImportContext extends RecordListener {
  store: OperatorStore
  table: Table
  actor: string
}

/** If true, no row, revision or audit entry is written. */
export const changesNothing = ({ created, changed, gone }: Difference): boolean => created + changed + gone === 0

/** After this many comparisons that other processes' changes made obsolete, rows are compared within the transaction. */
const MAX_ATTEMPTS = 3

/** Everything slow happens before the transaction, where `write` gets the difference as it is then. */
export async function storeStaged<T extends object>(
  store: OperatorStore,
  staging: Staging,
  slug: string,
  scope: StagingScope,
  write: (tx: Transaction, difference: Difference) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await staging.writeAhead(scope)
    const stored = await store.transaction(async (tx) => {
      const { id } = await workspaceOrThrow(tx, slug)
      if (id !== scope.workspaceId) throw new UserError(`${slug} is now another workspace; try again`)
      if (attempt < MAX_ATTEMPTS && !(await staging.isCurrent(scope, tx))) return undefined
      return write(tx, await staging.compare(scope, tx))
    })
    if (stored !== undefined) return stored
  }
}
