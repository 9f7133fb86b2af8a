import type { OperatorStore } from '../../src/database/store.ts'
import { existing, Keys } from '../../src/keys/life-cycle.ts'

/** Keys of a workspace, to be looked at by tests as well. */
export class ListedKeys extends Keys {
  readonly #store: OperatorStore

  constructor(store: OperatorStore, actor: string, clock?: () => number) {
    super(store, actor, clock)
    this.#store = store
  }

  list(workspaceSlug: string) {
    return this.#store.read(async (tx) => tx.keys((await existing(tx, workspaceSlug)).id))
  }
}
