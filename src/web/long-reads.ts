import { FairShare } from '../lib/fair-share.ts'
import { nextTurn } from '../lib/turns.ts'
import { PageError } from './responses.ts'

/** Each holds a slice in memory. A workspace below its equal share may still exceed this, up to twice (`FairShare`). */
const MAX_LONG_READS = 16
/** The most that one workspace may hold. */
const MAX_SHARE = 1 / 4
/** Short pages need no more reads than this. */
const SHORT_READS = 16
/** A request first reads its session and its subject. */
const READS_AT_ONCE = 2

/** Slices take turns with those of questions (`nextTurn`). */
export class LongReads {
  readonly #places = new FairShare(MAX_LONG_READS, MAX_SHARE)

  start(holder: string, whenAnswered: (done: () => void) => void): RequestReads {
    let reads = 0
    let hasPlace = false
    const takePlace = () => {
      if (hasPlace) return
      if (this.#places.isOver(holder)) throw tooMany()
      hasPlace = true
      this.#places.take(holder, 1)
      whenAnswered(() => this.#places.release(holder, 1))
    }
    const next = async () => {
      reads++
      if (reads > SHORT_READS) takePlace()
      if (reads > READS_AT_ONCE) await nextTurn()
    }
    return { next, takePlace }
  }
}

interface RequestReads {
  /** Resolves when the request may read its next slice. */
  next(): Promise<void>
  /** Call this first for a long read. The place is free again when the response has been read. */
  takePlace(): void
}

const tooMany = () =>
  new PageError(
    503,
    'Too many exports and searches',
    'Others are still running, for this workspace or for others. Try again in a few seconds.',
    ['Retry-After', '5'],
  )
