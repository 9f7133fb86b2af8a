import { formatCount } from '../lib/format-count.ts'

const REDRAW_INTERVAL_MS = 100
const BAR_WIDTH = 24
const ERASE_LINE = '\r\x1b[K'

export interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
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
    if (!this.#isTerminal) return
    const isLast = this.#line !== '' && bytesRead === this.#sizeBytes
    if (performance.now() < this.#drawnAtMs + REDRAW_INTERVAL_MS && !isLast) return
    this.#draw([...this.#bar(bytesRead), `${formatCount(recordsRead)} records`].join('  '))
  }

  /** Adds what comes after reading. */
  finish(next: string): void {
    if (this.#line !== '') this.#draw(`${this.#line}, ${next}`)
  }

  /** Makes room for a message. */
  clear(): void {
    if (this.#line !== '') this.#terminal.write(ERASE_LINE)
    this.#line = ''
  }

  #draw(line: string): void {
    this.#terminal.write(`${ERASE_LINE}${line}`)
    this.#line = line
    this.#drawnAtMs = performance.now()
  }

  #bar(bytesRead: number): string[] {
    if (!this.#sizeBytes) return []
    const share = Math.min(1, bytesRead / this.#sizeBytes)
    const filled = Math.floor(share * BAR_WIDTH)
    return [`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`, `${Math.floor(share * 100)} %`.padStart(5)]
  }
}
