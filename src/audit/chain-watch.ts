import type { OperatorStore } from '../database/store.ts'
import { RecentlyUsed } from '../lib/recently-used.ts'
import type { Prune } from './log.ts'
import { type ChainFault, type VerifiedEntry, verifyNext } from './verify.ts'

/** How far a chain is known to be intact, for people who look at the log. */
export interface ChainState {
  /** The number of the last entry that was found to fit; 0 if there is none. */
  verifiedTo: number
  /** The last entry of the chain. */
  end: number
  /** When the first entries were verified: those may have been changed since. */
  since: number
  /** When the last ones were. */
  at: number
  /** The last removal because of age, as far as it is verified; undefined if there was none. */
  prune: Prune | undefined
  fault: ChainFault | null
}

/** A verification of one chain from its beginning. */
interface Walk {
  last: VerifiedEntry | undefined
  startedMs: number
  isComplete: boolean
}

/** In one read: a thread that serves requests is not held up for longer than these take. */
const CHUNK_ENTRIES = 1000
/** For one view of the log; the next view continues where it ended. */
const MAX_ENTRIES_A_VIEW = 10_000
/** Then a chain is verified from its beginning again, a part with each view. */
const AGAIN_AFTER_MS = 3_600_000
/** Of as many workspaces it is remembered how far they are verified. */
const MAX_KNOWN = 1000

type Store = Pick<OperatorStore, 'read'>

/** Verifies chains a part at a time, and remembers in memory how far it came. */
export class ChainWatch {
  readonly #walks = new RecentlyUsed<Walk>(MAX_KNOWN)

  async advance(store: Store, workspaceId: string, nowMs: number): Promise<ChainState> {
    const walk = this.#walks.get(workspaceId) ?? this.#start(workspaceId, nowMs)
    const state = await this.#continue(store, workspaceId, walk, nowMs)
    if (!walk.isComplete || nowMs - walk.startedMs < AGAIN_AFTER_MS) return state
    return this.#continue(store, workspaceId, this.#start(workspaceId, nowMs), nowMs)
  }

  #start(workspaceId: string, nowMs: number): Walk {
    const walk = { last: undefined, startedMs: nowMs, isComplete: false }
    this.#walks.set(workspaceId, walk)
    return walk
  }

  /** Never goes past a fault, so the next view finds it again. */
  async #continue(store: Store, workspaceId: string, walk: Walk, nowMs: number): Promise<ChainState> {
    for (let verified = 0; ; verified += CHUNK_ENTRIES) {
      const { last, head, fault, isAtEnd } = await store.read((tx) =>
        verifyNext(tx, workspaceId, walk.last, CHUNK_ENTRIES),
      )
      // Of a chain without entries there is nothing to remember.
      if (last.number > 0) walk.last = last
      walk.isComplete = isAtEnd && fault === null
      const end = Math.max(head?.number ?? 0, last.number)
      if (fault !== null || isAtEnd || verified + CHUNK_ENTRIES >= MAX_ENTRIES_A_VIEW)
        return { verifiedTo: last.number, end, since: walk.startedMs, at: nowMs, prune: last.prune, fault }
    }
  }
}
