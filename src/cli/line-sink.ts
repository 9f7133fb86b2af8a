import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'

const BLOCK_CHARACTERS = 65_536
const FLUSH_EVERY_MS = 200
/** If nobody reads the log, lines are dropped rather than kept without bound, and the end does not wait for long. */
const MOST_CHARACTERS = 16 * 1024 * 1024
const LAST_WORDS_MS = 1000

/** Writes whole lines; not called again before it is done. */
export type WriteBlock = (block: Uint8Array, done: () => void) => void

/** Gathers lines and writes them in blocks, one at a time: a line costs little more than its own text. */
export class LineSink {
  readonly #writeBlock: WriteBlock
  readonly #timer: NodeJS.Timeout
  #gathered = ''
  #isWriting = false
  #onIdle: (() => void) | undefined

  constructor(writeBlock: WriteBlock) {
    this.#writeBlock = writeBlock
    this.#timer = setInterval(() => this.#flush(), FLUSH_EVERY_MS).unref()
  }

  write(line: string): void {
    if (this.#gathered.length > MOST_CHARACTERS) return
    this.#gathered += line
    if (this.#gathered.length >= BLOCK_CHARACTERS) this.#flush()
  }

  #flush(): void {
    if (this.#isWriting) return
    if (this.#gathered === '') {
      this.#onIdle?.()
      return
    }
    const block = Buffer.from(this.#gathered)
    this.#gathered = ''
    this.#isWriting = true
    this.#writeBlock(block, () => {
      this.#isWriting = false
      if (this.#onIdle !== undefined || this.#gathered.length >= BLOCK_CHARACTERS) this.#flush()
    })
  }

  /** Writes what is left before the program ends. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    const written = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    this.#flush()
    let deadline: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      deadline = setTimeout(resolve, LAST_WORDS_MS)
    })
    await Promise.race([written, patience])
    clearTimeout(deadline)
  }
}

export const blockWriter = (fd: number): WriteBlock => (isPipe(fd) ? pipeWriter(fd) : fileWriter(fd))

/** For several who write to the same place: a block is whole there before the next one begins. */
export function oneAfterAnother(writeBlock: WriteBlock): WriteBlock {
  let before = Promise.resolve()
  return (block, done) => {
    before = before.then(() => new Promise<void>((resolve) => writeBlock(block, resolve))).then(done)
  }
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket()
}

/** A pipe whose reader has stalled blocks whoever writes to it, unless it is written to as a stream. */
function pipeWriter(fd: number): WriteBlock {
  const pipe = new Socket({ fd, readable: false, writable: true })
  // Whoever read the log may be gone; the service goes on.
  pipe.on('error', () => {})
  pipe.unref()
  return (block, done) => {
    if (pipe.destroyed) done()
    else pipe.write(block, () => done())
  }
}

function fileWriter(fd: number): WriteBlock {
  return function writeBlock(block, done) {
    write(fd, block, 0, block.length, null, (error, written) => {
      if (error === null && written < block.length) writeBlock(block.subarray(written), done)
      else done()
    })
  }
}
