import { formatCount } from '../lib/format-count.ts'

const REDRAW_INTERVAL_MS = 100
const BAR_WIDTH = 24
const ERASE_LINE = '\r\x1b[K'

interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** The one whose line is on the terminal. */
let shown: Progress | undefined

/** To be called before anything else is written, so that it gets a line of its own. */
export const clearProgress = (): void => shown?.clear()

/** Shows what a command is doing while it takes long, on a terminal. The line is gone when the work is done, or has failed. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress(process.stderr)
  try {
    return await work(progress)
  } finally {
    progress.clear()
  }
}

/** A progress line on a terminal; elsewhere nothing is written. */
export class Progress {
  readonly #terminal: Terminal
  readonly #isTerminal: boolean
  #sizeBytes: number | undefined
  #line = ''
  /** Set at the start, so that a short import draws nothing. */
  #drawnAtMs = performance.now()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#isTerminal = terminal.isTTY === true && process.env.TERM !== 'dumb'
  }

  /** Sets the total, if it is known. */
  expect(sizeBytes: number): void {
    this.#sizeBytes = sizeBytes
  }

  show(bytesRead: number, recordsRead: number): void {
    const isLast = this.#line !== '' && bytesRead === this.#sizeBytes
    if (!isLast && !this.#isDue()) return
    this.#draw([...bar(bytesRead, this.#sizeBytes), `${formatCount(recordsRead)} records`].join('  '))
  }

  /** What is being done, and how much of it is done: of how much, if that is known. */
  count(phase: string, done: number, unit: string, total?: number): void {
    if (!this.#isDue()) return
    const of = total === undefined ? '' : ` of ${formatCount(total)}`
    this.#draw([`${phase}:`, ...bar(done, total), `${formatCount(done)}${of} ${unit}`].join('  '))
  }

  /** What begins now. Drawn at once: what follows may be one step of the database, during which nothing can be drawn. */
  phase(name: string): void {
    if (this.#isTerminal) this.#draw(`${name} …`)
  }

  /** Adds what comes after reading. */
  finish(next: string): void {
    if (this.#isTerminal)
      this.#draw(this.#line === '' ? `${next} …` : `${this.#line.replace(/, [^,]* …$/, '')}, ${next} …`)
  }

  /** Makes room for a message. */
  clear(): void {
    if (this.#line !== '') this.#terminal.write(ERASE_LINE)
    this.#line = ''
    if (shown === this) shown = undefined
  }

  #isDue(): boolean {
    return this.#isTerminal && performance.now() >= this.#drawnAtMs + REDRAW_INTERVAL_MS
  }

  /** A line that is longer than the terminal's would wrap, and only its last part could be erased. */
  #draw(line: string): void {
    if (shown !== this) clearProgress()
    this.#terminal.write(`${ERASE_LINE}${line.slice(0, (this.#terminal.columns || Number.POSITIVE_INFINITY) - 1)}`)
    this.#line = line
    this.#drawnAtMs = performance.now()
    shown = this
  }
}

function bar(done: number, total: number | undefined): string[] {
  if (!total) return []
  const share = Math.min(1, done / total)
  const filled = Math.floor(share * BAR_WIDTH)
  return [`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`, `${Math.floor(share * 100)} %`.padStart(5)]
}
