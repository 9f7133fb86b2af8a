import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { formatCount } from '../../lib/format-count.ts'
import { Logger } from '../../lib/logger.ts'
import { logLine } from '../../log-lines.ts'
import { printMessage } from '../terminal/output.ts'

const BLOCK_CHARACTERS = 65_536
const FLUSH_INTERVAL_MS = 200
/** Bounds memory: if the reader stalls or the disk is full, further lines are dropped and counted. */
const MAX_BUFFERED_CHARACTERS = 16 * 1024 * 1024
const FINAL_FLUSH_TIMEOUT_MS = 1000

/** A block contains whole lines. The next one is written only after `done` is called. */
type WriteBlock = (block: Uint8Array, done: (lostLines: number) => void) => void

export type LogStats = LineSink['stats']

export function createLogger(level: Config['logLevel'], writeBlock: WriteBlock) {
  const sink = new LineSink(writeBlock, (lines) => logLine(log, 'linesLost', { lines }))
  const log = new Logger(sink, level)
  async function flush() {
    const lost = await sink.end()
    if (lost > 0) printMessage(`vitrine: the log could not be written; lost lines: ${formatCount(lost)}`)
  }
  return { log, flush, logStats: () => sink.stats }
}

export class LineSink {
  readonly #writeBlock: WriteBlock
  readonly #logLoss: (lines: number) => void
  readonly #timer: NodeJS.Timeout
  #buffer = ''
  #pending: Uint8Array | undefined
  #onIdle: (() => void) | undefined
  #lost = 0
  #loggedLoss = 0

  /** `logLoss` is called once lines can be written again. */
  constructor(writeBlock: WriteBlock, logLoss: (lines: number) => void) {
    this.#writeBlock = writeBlock
    this.#logLoss = logLoss
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS).unref()
  }

  /** `unwritten` is in characters. */
  get stats() {
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
    if (this.#pending !== undefined) return
    if (this.#buffer === '') {
      this.#onIdle?.()
      return
    }
    const block = Buffer.from(this.#buffer)
    this.#buffer = ''
    this.#pending = block
    this.#writeBlock(block, (lostLines) => {
      this.#pending = undefined
      this.#lost += lostLines
      if (this.#buffer.length >= BLOCK_CHARACTERS) this.#flush()
      // This is logged where the lines are missing: after older lines and before newer ones.
      if (lostLines === 0 && this.#lost > this.#loggedLoss) {
        const lines = this.#lost - this.#loggedLoss
        this.#loggedLoss = this.#lost
        this.#logLoss(lines)
      }
      if (this.#onIdle !== undefined) this.#flush()
    })
  }

  /** Returns how many lines were lost without being mentioned in the log. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    const written = Promise.withResolvers<void>()
    this.#onIdle = written.resolve
    this.#flush()
    using _deadline = setTimeout(written.resolve, FINAL_FLUSH_TIMEOUT_MS)
    await written.promise
    return this.#lost - this.#loggedLoss + linesOf(this.#pending ?? Buffer.of()) + linesOf(Buffer.from(this.#buffer))
  }
}

const NEWLINE = 0x0a

const linesOf = (block: Uint8Array): number => block.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0)

export function blockWriter(fd: number): WriteBlock {
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket() ? pipeWriter(fd) : fileWriter(fd)
}

/** A plain write to a pipe whose reader has stalled would block the thread; a Socket does not. */
function pipeWriter(fd: number): WriteBlock {
  const pipe = new Socket({ fd, readable: false, writable: true })
  // The reader of the log may have exited; the service continues.
  pipe.on('error', () => {})
  pipe.unref()
  return (block, done) => {
    if (pipe.destroyed) done(linesOf(block))
    else pipe.write(block, (error) => done(error ? linesOf(block) : 0))
  }
}

/** Retries on a full disk until there is space, and then continues in the middle of the line. */
function fileWriter(fd: number): WriteBlock {
  const writeAll: WriteBlock = (block, done) =>
    write(fd, block, 0, block.length, null, (error, written) => {
      if (error !== null) setTimeout(() => writeAll(block, done), FLUSH_INTERVAL_MS).unref()
      else if (written < block.length) writeAll(block.subarray(written), done)
      else done(0)
    })
  return writeAll
}
