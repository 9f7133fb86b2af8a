import { isUtf8 } from 'node:buffer'
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import {
  type Frame,
  type Frames,
  isSpace,
  MAX_RECORD_BYTES,
  NEWLINE,
  NOT_UTF8,
  TOO_LONG,
  type Unreadable,
} from './frame.ts'

/** One record per line; blank lines are skipped. */
export async function* ndjsonFrames(chunks: AsyncIterable<Buffer>, firstLine: number): Frames {
  const begun = new BegunRecord()
  let line = firstLine
  const finished = (part: Buffer): Frame[] => {
    const record = begun.finish(part)
    const place = { line: line++ }
    return 'text' in record && record.text.trim() === '' ? [] : [{ ...place, ...record }]
  }
  for await (const chunk of chunks) {
    const frames: Frame[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      frames.push(...finished(chunk.subarray(start, end)))
      start = end + 1
    }
    begun.add(chunk.subarray(start))
    yield frames
  }
  yield finished(Buffer.alloc(0))
}

/**
 * One array of records, however it is laid out. Only strings and brackets are followed, to find where each record ends;
 * whether it is JSON is for its parser to decide.
 */
export async function* arrayFrames(chunks: AsyncIterable<Buffer>, firstLine: number): Frames {
  const begun = new BegunRecord()
  let line = firstLine
  let item = 1
  /** Undefined between records. */
  let begunOnLine: number | undefined
  /** In the array, the depth is 1. */
  let depth = 0
  let [isOver, isInString, isEscaped] = [false, false, false]
  for await (const chunk of chunks) {
    const frames: Frame[] = []
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      if (byte === NEWLINE) line++
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (depth === 1 && (byte === COMMA || byte === CLOSING_BRACKET)) {
        isOver = byte === CLOSING_BRACKET
        const isEmptyArray = isOver && item === 1 && begunOnLine === undefined
        if (begunOnLine !== undefined)
          frames.push({ line: begunOnLine, item: item++, ...begun.finish(chunk.subarray(start, i)) })
        else if (!isEmptyArray) frames.push({ line, item: item++, problem: 'is missing beside a comma' })
        begunOnLine = undefined
        if (isOver) depth = 0
        start = i + 1
      } else if (isSpace(byte)) {
        // Space between records is not part of one, or enough of it would make it too long.
        if (begunOnLine === undefined) start = i + 1
      } else if (isOver) {
        yield [...frames, { line, problem: 'comes after the end of the array', isLast: true }]
        return
      } else if (depth === 0) {
        // The opening bracket.
        depth = 1
        start = i + 1
      } else {
        begunOnLine ??= line
        if (byte === QUOTE) isInString = true
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++
        else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && depth > 1) depth--
      }
    }
    if (begunOnLine !== undefined) begun.add(chunk.subarray(start))
    yield frames
  }
  if (isOver) return
  if (begunOnLine === undefined) yield [{ line, problem: 'the file ends before its array does', isLast: true }]
  else yield [{ line: begunOnLine, item, problem: 'the file ends before this record does', isLast: true }]
}

/** The bytes of the record that is being read, which may have begun in an earlier chunk. */
class BegunRecord {
  #bytes: Buffer | undefined
  #length = 0

  /** Adds a part of the record. Beyond the bound, only the length is counted. */
  add(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes ??= Buffer.allocUnsafe(MAX_RECORD_BYTES)
    if (this.#length + part.length <= MAX_RECORD_BYTES) part.copy(this.#bytes, this.#length)
    this.#length += part.length
  }

  /** Returns the whole record, of which `part` is the end, and begins the next. */
  finish(part: Buffer): { text: string } | Unreadable {
    if (this.#length > 0) this.add(part)
    const length = this.#length || part.length
    const bytes = this.#length > 0 && this.#bytes !== undefined ? this.#bytes.subarray(0, length) : part
    this.#length = 0
    if (length > MAX_RECORD_BYTES) return { problem: TOO_LONG }
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: NOT_UTF8 }
  }
}
