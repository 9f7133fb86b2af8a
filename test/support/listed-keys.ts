import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import { useCounts } from '../../src/keys/history.ts'
import { Keys } from '../../src/keys/life-cycle.ts'
import { findKeys } from '../../src/keys/records.ts'
import { workspaceOrThrow } from '../../src/resources/workspace/records.ts'

/** All keys of a workspace, in the order of their creation. */
export async function listKeys(tx: Transaction, workspaceId: string) {
  const rows = await tx.all<{ id: string }>('SELECT id FROM api_keys WHERE workspace_id = ?', workspaceId)
  return findKeys(
    tx,
    workspaceId,
    rows.map(({ id }) => id),
  )
}

/** Keys of a workspace, to be looked at by tests as well. */
export class ListedKeys extends Keys {
  readonly #store: OperatorStore

  constructor(store: OperatorStore, actor: string, clock?: () => number) {
    super(store, actor, clock)
    this.#store = store
  }

  list(workspaceSlug: string) {
    return this.#store.read(async (tx) => {
      const { id: workspaceId } = await workspaceOrThrow(tx, workspaceSlug)
      const keys = await listKeys(tx, workspaceId)
      const uses = keys.length === 0 ? new Map() : await useCounts(tx, { workspaceId, ids: keys.map(({ id }) => id) })
      return keys.map((key) => ({ ...key, useCount: uses.get(key.id) ?? 0 }))
    })
  }
}
