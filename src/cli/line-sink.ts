import { closeSync, fstatSync, openSync, readSync, type Stats, write } from 'node:fs'
import { Socket } from 'node:net'
import type { Occupancy } from '../lib/fair-share.ts'

const BLOCK_CHARACTERS = 65_536
const FLUSH_INTERVAL_MS = 200
/** When the log is not read, or its disk is full, further lines are dropped and counted: memory stays bounded. */
const MAX_BUFFERED_CHARACTERS = 16 * 1024 * 1024
const FINAL_FLUSH_TIMEOUT_MS = 1000

/** Writes whole lines; not called again before `done`, which is given how many of them are lost. */
export type WriteBlock = (block: Uint8Array, done: (lostLines: number) => void) => void

export interface LogFigures {
  /** In characters, which are bytes but for those beyond ASCII. */
  unwritten: Occupancy
  lostLines: number
}

/** Buffers lines and writes them in blocks, one at a time, so that a line costs no system call of its own. */
export class LineSink {
  readonly #writeBlock: WriteBlock
  readonly #reportLoss: (lines: number) => void
  readonly #timer: NodeJS.Timeout
  #buffer = ''
  #underWay: Uint8Array | undefined
  #onIdle: (() => void) | undefined
  #lost = 0
  #reported = 0

  /** `reportLoss` writes a line about lost ones, once lines can be written again. */
  constructor(writeBlock: WriteBlock, reportLoss: (lines: number) => void) {
    this.#writeBlock = writeBlock
    this.#reportLoss = reportLoss
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS).unref()
  }

  get figures(): LogFigures {
    return { unwritten: { current: this.#buffer.length, limit: MAX_BUFFERED_CHARACTERS }, lostLines: this.#lost }
  }

  write(line: string): void {
    if (this.#buffer.length > MAX_BUFFERED_CHARACTERS) {
      this.#lost++
      return
    }
    this.#buffer += line
    if (this.#buffer.length >= BLOCK_CHARACTERS) this.#flush()
  }

  #flush(): void {
    if (this.#underWay !== undefined) return
    if (this.#buffer === '') {
      this.#onIdle?.()
      return
    }
    const block = Buffer.from(this.#buffer)
    this.#buffer = ''
    this.#underWay = block
    this.#writeBlock(block, (lostLines) => {
      this.#underWay = undefined
      this.#lost += lostLines
      if (this.#buffer.length >= BLOCK_CHARACTERS) this.#flush()
      // Where they are missing: after what was buffered before them, and before anything newer.
      if (lostLines === 0 && this.#lost > this.#reported) {
        const unreported = this.#lost - this.#reported
        this.#reported = this.#lost
        this.#reportLoss(unreported)
      }
      if (this.#onIdle !== undefined) this.#flush()
    })
  }

  /** Writes what is left before the program ends, and returns how many lines are lost without a report in the log. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    const written = Promise.withResolvers<void>()
    this.#onIdle = written.resolve
    this.#flush()
    const deadline = setTimeout(written.resolve, FINAL_FLUSH_TIMEOUT_MS)
    await written.promise
    clearTimeout(deadline)
    return this.#lost - this.#reported + linesOf(this.#underWay ?? Buffer.of()) + linesOf(Buffer.from(this.#buffer))
  }
}

const NEWLINE = 0x0a

const linesOf = (block: Uint8Array): number => block.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0)

export function blockWriter(fd: number): WriteBlock {
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket() ? pipeWriter(fd) : fileWriter(fd, endsWithinLine(fd, stats))
}

/** For several writers to one destination: each block is written whole before the next one. */
export function serialize(writeBlock: WriteBlock): WriteBlock {
  let previous: Promise<unknown> = Promise.resolve()
  return (block, done) => {
    previous = previous.then(() => new Promise<number>((resolve) => writeBlock(block, resolve))).then(done)
  }
}

/** As a stream: a plain write to a pipe whose reader has stalled would block the thread. */
function pipeWriter(fd: number): WriteBlock {
  const pipe = new Socket({ fd, readable: false, writable: true })
  // The reader of the log may be gone; the service continues.
  pipe.on('error', () => {})
  pipe.unref()
  return (block, done) => {
    if (pipe.destroyed) done(linesOf(block))
    else pipe.write(block, (error) => done(error ? linesOf(block) : 0))
  }
}

/** On a full disk it retries until there is space, and continues within the line where it had to stop. */
function fileWriter(fd: number, isWithinLine: boolean): WriteBlock {
  const writeAll: WriteBlock = (block, done) =>
    write(fd, block, 0, block.length, null, (error, written) => {
      if (error !== null) setTimeout(() => writeAll(block, done), FLUSH_INTERVAL_MS).unref()
      else if (written < block.length) writeAll(block.subarray(written), done)
      else done(0)
    })
  return (block, done) => {
    writeAll(isWithinLine ? Buffer.concat([Buffer.of(NEWLINE), block]) : block, done)
    isWithinLine = false
  }
}

/** Whether a program that wrote to this file before was stopped by a full disk in the middle of a line. */
function endsWithinLine(fd: number, stats: Stats): boolean {
  if (!stats.isFile() || stats.size === 0) return false
  const last = Buffer.of(NEWLINE)
  let file: number | undefined
  try {
    // Opened again, since a log is opened for writing only. Where that is not possible, nothing is known.
    file = openSync(`/dev/fd/${fd}`, 'r')
    readSync(file, last, 0, 1, stats.size - 1)
  } catch {
  } finally {
    if (file !== undefined) closeSync(file)
  }
  return last[0] !== NEWLINE
}
