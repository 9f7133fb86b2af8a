import type { OperatorStore } from '../../src/database/store.ts'
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
    return this.#store.read(async (tx) => listKeys(tx, (await workspaceOrThrow(tx, workspaceSlug)).id))
  }
}
