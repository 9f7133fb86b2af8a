import type { OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'

/** How often rows are compared anew because someone else changed them meanwhile. Then they are compared within the transaction. */
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
