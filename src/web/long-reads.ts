import { FairShare } from '../lib/fair-share.ts'
import { createTurns } from '../lib/turns.ts'
import { PageError } from './responses.ts'

/** Each holds a slice in memory. Workspaces below their equal share may exceed this, up to twice the number (`FairShare`). */
const MAX_LONG_READS = 16
/** The largest share for one workspace. */
const MAX_SHARE = 1 / 4
/** Short pages need no more reads than this. */
const SHORT_READS = 16
/** A request first reads its session and the object of the page. */
const READS_AT_ONCE = 2

/** Apart from `nextTurn`, so that no query of the API has to wait for pages: one page, or one slice of a long read, per turn. */
export const nextPageTurn = createTurns()

export class LongReads {
  readonly #slots = new FairShare(MAX_LONG_READS, MAX_SHARE)

  start(holder: string, onResponseSent: (done: () => void) => void) {
    let reads = 0
    let hasSlot = false
    /** Call this before a long read. The slot is released when the response has been read. */
    const acquireSlot = () => {
      if (hasSlot) return
      if (this.#slots.isRefused(holder)) throw tooMany()
      hasSlot = true
      this.#slots.take(holder, 1)
      onResponseSent(() => this.#slots.release(holder, 1))
    }
    const next = async () => {
      reads++
      if (reads > SHORT_READS) acquireSlot()
      if (reads > READS_AT_ONCE) await nextPageTurn()
    }
    return { next, acquireSlot }
  }
}

function tooMany(): PageError {
  const text = 'Others are still running, for this workspace or another one. Try again in a few seconds.'
  return new PageError(503, 'Too many exports and searches', text, ['Retry-After', '5'])
}
