import { type Framer, isSpace, NEWLINE } from './frame.ts'
import { ArrayFramer, NdjsonFramer } from './json-frames.ts'
import type { RecordReader } from './record.ts'

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Reads past the beginning of a file, up to the first byte that tells what the file is. */
export class Sniffer {
  readonly #record: RecordReader
  #head = Buffer.alloc(0)
  #isStart = true
  #line = 1

  constructor(record: RecordReader) {
    this.#record = record
  }

  /** Whether the file ended within a byte order mark. */
  get isCutShort(): boolean {
    return this.#head.length > 0
  }

  /** Undefined as long as there was nothing but space. */
  async sniff(chunk: Buffer): Promise<{ framer: Framer; rest: Buffer } | undefined> {
    const bytes = this.#isStart ? this.#withoutMark(chunk) : chunk
    let at = 0
    for (; at < bytes.length && isSpace(bytes[at]); at++) if (bytes[at] === NEWLINE) this.#line++
    if (at === bytes.length) return undefined
    const rest = bytes.subarray(at)
    return { framer: await framerFor(String.fromCharCode(rest[0] ?? 0), this.#line, this.#record), rest }
  }

  #withoutMark(chunk: Buffer): Buffer {
    const head = Buffer.concat([this.#head, chunk])
    const isPartOfMark = head.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, head.length).equals(head)
    this.#head = isPartOfMark ? head : Buffer.alloc(0)
    if (isPartOfMark) return this.#head.subarray(head.length)
    this.#isStart = false
    return head.indexOf(BYTE_ORDER_MARK) === 0 ? head.subarray(BYTE_ORDER_MARK.length) : head
  }
}

async function framerFor(first: string, line: number, record: RecordReader): Promise<Framer> {
  if (first === '{') return new NdjsonFramer(line)
  if (first === '[') return new ArrayFramer(line)
  // Loaded when needed: the parser of CSV is more code than the rest of a small import.
  const { CsvFramer } = await import('./csv-frames.ts')
  return new CsvFramer(line, record)
}
