import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import { type Frame, type Framer, isSpace, NEWLINE, RecordBytes } from './frame.ts'

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

/** One array of records, however it is laid out, and nothing else. */
export class ArrayFramer implements Framer {
  readonly #items: ArrayItems
  #state: 'before' | 'inside' | 'after' = 'before'

  constructor(firstLine: number) {
    this.#items = new ArrayItems(firstLine)
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    const frames: Frame[] = []
    let at = 0
    while (at !== -1 && at < chunk.length) {
      if (this.#state === 'inside') {
        at = this.#items.scan(chunk, at, frames)
        if (at !== -1) this.#state = 'after'
        continue
      }
      const byte = chunk[at++]
      if (byte === NEWLINE) this.#items.line++
      else if (byte === OPENING_BRACKET && this.#state === 'before') this.#state = 'inside'
      else if (!isSpace(byte))
        return [...frames, { line: this.#items.line, problem: 'comes after the end of the array', isLast: true }]
    }
    return frames
  }

  async end(): Promise<Frame[]> {
    return this.#state === 'after' ? [] : [this.#items.cutShort()]
  }
}

/**
 * The records of an array whose opening bracket is read. Only strings and brackets are followed, to find where each record ends;
 * whether it is JSON is for its parser to say.
 */
export class ArrayItems {
  line: number
  readonly #bytes = new RecordBytes()
  #item = 1
  /** Where the record that is being read began; undefined between records. */
  #begunOnLine: number | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false

  constructor(line: number) {
    this.line = line
  }

  /** Returns where the bytes after the array begin; -1 if it goes on in the next chunk. */
  scan(chunk: Buffer, from: number, frames: Frame[]): number {
    let start = from
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]
      if (byte === NEWLINE) this.line++
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isInString = false
      } else if (this.#depth === 0 && (byte === COMMA || byte === CLOSING_BRACKET)) {
        this.#finish(chunk.subarray(start, i), byte === CLOSING_BRACKET, frames)
        if (byte === CLOSING_BRACKET) return i + 1
        start = i + 1
      } else if (!isSpace(byte)) {
        this.#begunOnLine ??= this.line
        if (byte === QUOTE) this.#isInString = true
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth++
        else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && this.#depth > 0) this.#depth--
      } else if (this.#begunOnLine === undefined) {
        // Space between records is not part of one, or enough of it would make it too long.
        start = i + 1
      }
    }
    if (this.#begunOnLine !== undefined) this.#bytes.keep(chunk.subarray(start))
    return -1
  }

  /** What to say if the file ends before the array does. */
  cutShort(): Frame {
    if (this.#begunOnLine === undefined)
      return { line: this.line, problem: 'the file ends before its array does', isLast: true }
    const problem = 'the file ends before this record does'
    return { line: this.#begunOnLine, item: this.#item, problem, isLast: true }
  }

  #finish(part: Buffer, isArrayEnd: boolean, frames: Frame[]): void {
    const isEmptyArray = isArrayEnd && this.#item === 1 && this.#begunOnLine === undefined
    if (isEmptyArray) return
    const place = { line: this.#begunOnLine ?? this.line, item: this.#item++ }
    if (this.#begunOnLine === undefined) frames.push({ ...place, problem: 'is missing beside a comma' })
    else frames.push({ ...place, ...this.#bytes.finish(part) })
    this.#begunOnLine = undefined
  }
}
