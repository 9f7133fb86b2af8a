import type { OperatorStore } from '../../src/database/store.ts'
import { useCounts } from '../../src/keys/history.ts'
import { Keys } from '../../src/keys/life-cycle.ts'
import { listKeys } from '../../src/keys/records.ts'
import { workspaceOrThrow } from '../../src/resources/workspace/records.ts'

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
      const uses = await useCounts(tx, { workspaceId })
      return (await listKeys(tx, workspaceId)).map((key) => ({ ...key, useCount: uses.get(key.id) ?? 0 }))
    })
  }
}
