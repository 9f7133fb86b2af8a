import type { OperatorStore, Transaction } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import type { RowDifference, SourceScope } from '../lists/stored/comparison.ts'
import type { StagedChanges, StagedItems } from '../lists/stored/staged-items.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { RecordListener } from './parse-records.ts'

export interface ImportContext extends RecordListener {
  store: OperatorStore
  list: List
  actor: string
}

/** If true, no row, revision or audit entry is written. */
export const changesNothing = ({ created, changed, gone }: RowDifference): boolean => created + changed + gone === 0

/** `write` gets the difference as it is in the transaction: rows that were changed meanwhile are compared again. */
export function storeStaged<T>(
  { store, onProgress }: ImportContext,
  staged: StagedItems,
  slug: string,
  scope: SourceScope,
  write: (tx: Transaction, changes: StagedChanges) => Promise<T>,
): Promise<T> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, slug)
    if (id !== scope.workspaceId) throw new UserError(`${slug} is now another workspace; try again`)
    const changes = await staged.begin(tx, scope, (rows, all) => onProgress?.('stored', rows, all))
    return write(tx, changes)
  })
}
