import { type Frame, type Framer, isSpace, NEWLINE, RecordBytes } from './frame.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** One record a line; blank lines are skipped. */
export class NdjsonFramer implements Framer {
  readonly #bytes = new RecordBytes()
  #line: number

  constructor(firstLine: number) {
    this.#line = firstLine
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    const frames: Frame[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#finish(chunk.subarray(start, end), frames)
      start = end + 1
    }
    this.#bytes.keep(chunk.subarray(start))
    return frames
  }

  async end(): Promise<Frame[]> {
    const frames: Frame[] = []
    this.#finish(Buffer.alloc(0), frames)
    return frames
  }

  #finish(part: Buffer, frames: Frame[]): void {
    const line = this.#line++
    const record = this.#bytes.finish(part)
    if (!('text' in record && record.text.trim() === '')) frames.push({ line, ...record })
  }
}

/**
 * One array of records, however it is laid out. Only strings and brackets are followed, to find where each record ends;
 * whether it is JSON is for its parser to say.
 */
export class ArrayFramer implements Framer {
  readonly #bytes = new RecordBytes()
  #line: number
  #item = 1
  #state: 'before' | 'inside' | 'after' = 'before'
  /** Where the record that is being read began; undefined between records. */
  #begunOnLine: number | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false

  constructor(firstLine: number) {
    this.#line = firstLine
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    const frames: Frame[] = []
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      if (byte === NEWLINE) this.#line++
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isInString = false
      } else if (this.#state !== 'inside') {
        if (byte === OPENING_BRACKET && this.#state === 'before') {
          this.#state = 'inside'
          start = i + 1
        } else if (!isSpace(byte)) {
          return [...frames, { line: this.#line, problem: 'comes after the end of the array', isLast: true }]
        }
      } else if (this.#depth === 0 && (byte === COMMA || byte === CLOSING_BRACKET)) {
        this.#finish(chunk.subarray(start, i), byte === CLOSING_BRACKET, frames)
        start = i + 1
      } else if (!isSpace(byte)) {
        this.#begunOnLine ??= this.#line
        if (byte === QUOTE) this.#isInString = true
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth++
        else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && this.#depth > 0) this.#depth--
      } else if (this.#begunOnLine === undefined) {
        // Space between records is not part of one, or enough of it would make it too long.
        start = i + 1
      }
    }
    if (this.#begunOnLine !== undefined) this.#bytes.keep(chunk.subarray(start))
    return frames
  }

  async end(): Promise<Frame[]> {
    if (this.#state === 'after') return []
    if (this.#begunOnLine === undefined)
      return [{ line: this.#line, problem: 'the file ends before its array does', isLast: true }]
    const problem = 'the file ends before this record does'
    return [{ line: this.#begunOnLine, item: this.#item, problem, isLast: true }]
  }

  #finish(part: Buffer, isArrayEnd: boolean, frames: Frame[]): void {
    if (isArrayEnd) this.#state = 'after'
    const isEmptyArray = isArrayEnd && this.#item === 1 && this.#begunOnLine === undefined
    if (isEmptyArray) return
    const place = { line: this.#begunOnLine ?? this.#line, item: this.#item++ }
    if (this.#begunOnLine === undefined) frames.push({ ...place, problem: 'is missing beside a comma' })
    else frames.push({ ...place, ...this.#bytes.finish(part) })
    this.#begunOnLine = undefined
  }
}
