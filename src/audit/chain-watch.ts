import type { OperatorStore } from '../database/store.ts'
import { HOUR_MS } from '../lib/duration.ts'
import { Lru } from '../lib/lru.ts'
import { type VerifiedEntry, verifyNext } from './verify.ts'

export type ChainState = Awaited<ReturnType<ChainWatch['advance']>>

interface Walk {
  last: VerifiedEntry | undefined
  startedMs: number
  isComplete: boolean
}

/** Per read, because the thread also serves requests. */
const CHUNK_ENTRIES = 1000
/** The next page view continues where this one stopped. */
const MAX_ENTRIES_A_VIEW = 10_000
/** After this, a chain is verified from the beginning again, one part per page view. */
const AGAIN_AFTER_MS = HOUR_MS
/** Limits how many workspaces' progress is remembered. */
const MAX_KNOWN = 1000

type Store = Pick<OperatorStore, 'read'>

/** Verifies chains part by part, and remembers its progress in memory. */
export class ChainWatch {
  readonly #walks = new Lru<Walk>(MAX_KNOWN)

  async advance(store: Store, workspaceId: string, nowMs: number) {
    const walk = this.#walks.get(workspaceId) ?? this.#start(workspaceId, nowMs)
    const state = await this.#continue(store, workspaceId, walk)
    if (!walk.isComplete || nowMs - walk.startedMs < AGAIN_AFTER_MS) return state
    return this.#continue(store, workspaceId, this.#start(workspaceId, nowMs))
  }

  #start(workspaceId: string, nowMs: number): Walk {
    const walk = { last: undefined, startedMs: nowMs, isComplete: false }
    this.#walks.set(workspaceId, walk)
    return walk
  }

  /**
   * Never goes past a fault, so the next page view finds it again. `verifiedTo` is the number of the last verified entry, or 0.
   * The first entries were verified at `since`, and may have changed after that.
   */
  async #continue(store: Store, workspaceId: string, walk: Walk) {
    for (let verified = 0; ; verified += CHUNK_ENTRIES) {
      const { last, head, fault, isAtEnd } = await store.read((tx) =>
        verifyNext(tx, workspaceId, walk.last, CHUNK_ENTRIES),
      )
      // An empty chain has no progress to remember.
      if (last.number > 0) walk.last = last
      walk.isComplete = isAtEnd && fault === null
      const end = Math.max(head?.number ?? 0, last.number)
      if (fault !== null || isAtEnd || verified + CHUNK_ENTRIES >= MAX_ENTRIES_A_VIEW)
        return { verifiedTo: last.number, end, since: walk.startedMs, prune: last.prune, fault }
    }
  }
}
