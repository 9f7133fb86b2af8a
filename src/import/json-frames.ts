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

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#finish(chunk.subarray(start, end), frames)
      start = end + 1
    }
    this.#bytes.keep(chunk.subarray(start))
    return frames
  }

  *end(): Generator<Frame[]> {
    const frames: Frame[] = []
    this.#finish(Buffer.alloc(0), frames)
    yield frames
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
  /** Where the record that is being read began; undefined between records. */
  #begunOnLine: number | undefined
  /** In the array, the depth is 1. */
  #depth = 0
  #isOver = false
  #isInString = false
  #isEscaped = false

  constructor(firstLine: number) {
    this.#line = firstLine
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      if (byte === NEWLINE) this.#line++
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isInString = false
      } else if (this.#depth === 1 && (byte === COMMA || byte === CLOSING_BRACKET)) {
        this.#isOver = byte === CLOSING_BRACKET
        this.#finish(chunk.subarray(start, i), frames)
        if (this.#isOver) this.#depth = 0
        start = i + 1
      } else if (isSpace(byte)) {
        // Space between records is not part of one, or enough of it would make it too long.
        if (this.#begunOnLine === undefined) start = i + 1
      } else if (this.#isOver) {
        return [...frames, { line: this.#line, problem: 'comes after the end of the array', isLast: true }]
      } else if (this.#depth === 0) {
        // The opening bracket.
        this.#depth = 1
        start = i + 1
      } else {
        this.#begunOnLine ??= this.#line
        if (byte === QUOTE) this.#isInString = true
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth++
        else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && this.#depth > 1) this.#depth--
      }
    }
    if (this.#begunOnLine !== undefined) this.#bytes.keep(chunk.subarray(start))
    return frames
  }

  *end(): Generator<Frame[]> {
    if (this.#isOver) return
    if (this.#begunOnLine === undefined)
      yield [{ line: this.#line, problem: 'the file ends before its array does', isLast: true }]
    else {
      const problem = 'the file ends before this record does'
      yield [{ line: this.#begunOnLine, item: this.#item, problem, isLast: true }]
    }
  }

  #finish(part: Buffer, frames: Frame[]): void {
    const isEmptyArray = this.#isOver && this.#item === 1 && this.#begunOnLine === undefined
    if (isEmptyArray) return
    const place = { line: this.#begunOnLine ?? this.#line, item: this.#item++ }
    if (this.#begunOnLine === undefined) frames.push({ ...place, problem: 'is missing beside a comma' })
    else frames.push({ ...place, ...this.#bytes.finish(part) })
    this.#begunOnLine = undefined
  }
}
