import { NEWLINE } from './frame.ts'

const QUOTE = 0x22
const DELIMITERS = [',', ';', '\t']

/** Finds out what separates the cells of a CSV file: whichever its header line has most of, outside quotes. */
export class DelimiterDetector {
  readonly #counts = new Map(DELIMITERS.map((delimiter) => [delimiter.charCodeAt(0), 0]))
  #isInQuotes = false

  /** Whether the header line ends in this chunk. */
  add(chunk: Buffer): boolean {
    for (const byte of chunk) {
      if (byte === QUOTE) this.#isInQuotes = !this.#isInQuotes
      else if (this.#isInQuotes) continue
      else if (byte === NEWLINE) return true
      else {
        const count = this.#counts.get(byte)
        if (count !== undefined) this.#counts.set(byte, count + 1)
      }
    }
    return false
  }

  /** A comma, if there is none of any: then there is one column. */
  get delimiter(): string {
    const [mostFrequent] = [...this.#counts].reduce((best, other) => (other[1] > best[1] ? other : best))
    return String.fromCharCode(mostFrequent)
  }
}
