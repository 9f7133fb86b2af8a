import type { OperatorStore } from '../database/store.ts'
import { RecentlyUsed } from '../lib/recently-used.ts'
import type { Prune } from './prune-entry.ts'
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

interface Walk {
  last: VerifiedEntry | undefined
  startedMs: number
}

interface Known {
  /** The walk that went furthest. */
  walk: Walk
  /** A new one from the beginning, while the other is shown. */
  again: Walk | undefined
}

/** In one read: a thread that serves requests is not held up for longer than these take. */
const CHUNK_ENTRIES = 1000
/** For one view of the log; the next view goes on where it ended. */
const MAX_ENTRIES_A_VIEW = 10_000
/** Then a chain is verified from its beginning again, a part with each view. */
const AGAIN_AFTER_MS = 3_600_000
/** Of as many workspaces it is remembered how far they are verified. */
const MAX_KNOWN = 1000

/** Verifies chains a part at a time, and remembers in memory how far it came. */
export class ChainWatch {
  readonly #known = new RecentlyUsed<Known>(MAX_KNOWN)

  async advance(store: Pick<OperatorStore, 'read'>, workspaceId: string, nowMs: number): Promise<ChainState> {
    const known = this.#known.get(workspaceId) ?? { walk: { last: undefined, startedMs: nowMs }, again: undefined }
    this.#known.set(workspaceId, known)
    const first = await this.#walk(store, workspaceId, known.walk)
    const state = { ...first, since: known.walk.startedMs, at: nowMs }
    if (!first.isAtEnd || first.fault !== null || nowMs - known.walk.startedMs < AGAIN_AFTER_MS) return state
    known.again ??= { last: undefined, startedMs: nowMs }
    const again = known.again
    const second = await this.#walk(store, workspaceId, again)
    if (second.fault !== null) return { ...second, since: again.startedMs, at: nowMs }
    if (!second.isAtEnd) return state
    this.#known.set(workspaceId, { walk: again, again: undefined })
    return { ...second, since: again.startedMs, at: nowMs }
  }

  /** Moves the walk on; never past a fault, which the next view finds again. */
  async #walk(store: Pick<OperatorStore, 'read'>, workspaceId: string, walk: Walk) {
    for (let verified = 0; ; verified += CHUNK_ENTRIES) {
      const { last, head, fault, isAtEnd } = await store.read((tx) =>
        verifyNext(tx, workspaceId, walk.last, CHUNK_ENTRIES),
      )
      // Of a chain without entries there is nothing to remember.
      if (last.number > 0) walk.last = last
      const end = Math.max(head?.number ?? 0, last.number)
      if (fault !== null || isAtEnd || verified + CHUNK_ENTRIES >= MAX_ENTRIES_A_VIEW)
        return { verifiedTo: last.number, end, prune: last.prune, fault, isAtEnd }
    }
  }
}
