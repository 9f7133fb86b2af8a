import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import type { Occupancy } from '../lib/occupancy.ts'

const BLOCK_CHARACTERS = 65_536
const FLUSH_INTERVAL_MS = 200
/** When nobody reads the log, further lines are dropped: memory stays bounded. */
const MAX_BUFFERED_CHARACTERS = 16 * 1024 * 1024
const FINAL_FLUSH_TIMEOUT_MS = 1000

/** Writes whole lines; not called again before `done`. */
export type WriteBlock = (block: Uint8Array, done: () => void) => void

/** Buffers lines and writes them in blocks, one at a time, so that a line costs no system call of its own. */
export class LineSink {
  readonly #writeBlock: WriteBlock
  readonly #timer: NodeJS.Timeout
  #buffer = ''
  #isWriting = false
  #onIdle: (() => void) | undefined

  constructor(writeBlock: WriteBlock) {
    this.#writeBlock = writeBlock
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS).unref()
  }

  /** In characters, which are bytes but for those beyond ASCII. */
  get occupancy(): Occupancy {
    return { current: this.#buffer.length, limit: MAX_BUFFERED_CHARACTERS }
  }

  write(line: string): void {
    if (this.#buffer.length > MAX_BUFFERED_CHARACTERS) return
    this.#buffer += line
    if (this.#buffer.length >= BLOCK_CHARACTERS) this.#flush()
  }

  #flush(): void {
    if (this.#isWriting) return
    if (this.#buffer === '') {
      this.#onIdle?.()
      return
    }
    const block = Buffer.from(this.#buffer)
    this.#buffer = ''
    this.#isWriting = true
    this.#writeBlock(block, () => {
      this.#isWriting = false
      if (this.#onIdle !== undefined || this.#buffer.length >= BLOCK_CHARACTERS) this.#flush()
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
    const timeout = new Promise<void>((resolve) => {
      deadline = setTimeout(resolve, FINAL_FLUSH_TIMEOUT_MS)
    })
    await Promise.race([written, timeout])
    clearTimeout(deadline)
  }
}

export const blockWriter = (fd: number): WriteBlock => (isPipe(fd) ? pipeWriter(fd) : fileWriter(fd))

/** For several writers to one destination: each block is written whole before the next one. */
export function serialize(writeBlock: WriteBlock): WriteBlock {
  let previous = Promise.resolve()
  return (block, done) => {
    previous = previous.then(() => new Promise<void>((resolve) => writeBlock(block, resolve))).then(done)
  }
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket()
}

/** As a stream: a plain write to a pipe whose reader has stalled would block the thread. */
function pipeWriter(fd: number): WriteBlock {
  const pipe = new Socket({ fd, readable: false, writable: true })
  // The reader of the log may be gone; the service goes on.
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
