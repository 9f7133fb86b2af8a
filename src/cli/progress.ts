const REDRAW_EVERY_MS = 100
const BAR_WIDTH = 24
const ERASE_LINE = '\r\x1b[K'

export interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** One line that tells how far the reading is, for whoever watches; nothing at all if no one does. */
export class Progress {
  readonly #terminal: Terminal
  readonly #isWatched: boolean
  #sizeBytes: number | undefined
  #line = ''
  /** From the start on, so that a short import draws nothing at all. */
  #drawnAtMs = performance.now()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#isWatched = terminal.isTTY === true && process.env.TERM !== 'dumb'
  }

  /** How much there is to read, if that is known. */
  expect(sizeBytes: number): void {
    this.#sizeBytes = sizeBytes
  }

  show(bytesRead: number, recordsRead: number): void {
    if (!this.#isWatched) return
    const isLast = this.#line !== '' && bytesRead === this.#sizeBytes
    if (performance.now() < this.#drawnAtMs + REDRAW_EVERY_MS && !isLast) return
    this.#draw([...this.#bar(bytesRead), `${recordsRead.toLocaleString('en')} records`].join('  '))
  }

  /** Says what comes after the reading. */
  finish(words: string): void {
    if (this.#line !== '') this.#draw(`${this.#line}, ${words}`)
  }

  /** Makes room for something to be said. */
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
