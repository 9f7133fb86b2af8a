import { isUtf8 } from 'node:buffer'
import { linesOf, readUpTo } from '../../lib/chunks.ts'
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  parseOrExplain,
  QUOTE,
} from '../../lib/json-text.ts'
import { type Frame, type Frames, isSpace, MAX_RECORD_BYTES, NEWLINE, NOT_UTF8, TOO_LONG, textOf } from './frame.ts'

export async function* ndjsonFrames(chunks: AsyncIterable<Buffer>, firstLine: number): Frames {
  let line = firstLine
  for await (const lines of linesOf(chunks, MAX_RECORD_BYTES))
    yield lines.flatMap((bytes): Frame[] => {
      const record = { line: line++, ...textOf(bytes) }
      return 'text' in record && record.text.trim() === '' ? [] : [record]
    })
}

/** Tracks only strings and brackets; the parser decides whether a record is JSON. */
export async function* arrayFrames(chunks: AsyncIterable<Buffer>, firstLine: number): Frames {
  /** Number of open brackets: 1 between records. */
  let depth = 0
  let [isOver, isInString, isEscaped] = [false, false, false]
  let line = firstLine
  let item = 1
  let begunOnLine: number | undefined
  /** The start of the current record, from earlier chunks. */
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const frames: Frame[] = []
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let i = rest.length; i < bytes.length; i++) {
      const byte = bytes[i]
      if (byte === NEWLINE) line++
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (isSpace(byte)) {
        // Otherwise, whitespace between records would count towards the length of a record.
        if (begunOnLine === undefined) start = i + 1
      } else if (depth === 0) {
        if (isOver) return yield [...frames, { line, problem: 'comes after the end of the array', endsFile: true }]
        depth = 1
        start = i + 1
      } else if (depth === 1 && (byte === COMMA || byte === CLOSING_BRACKET)) {
        isOver = byte === CLOSING_BRACKET
        if (begunOnLine !== undefined)
          frames.push({ line: begunOnLine, item: item++, ...textOf(bytes.subarray(start, i)) })
        else if (!isOver || item > 1) frames.push({ line, item: item++, problem: 'is missing next to a comma' })
        begunOnLine = undefined
        start = i + 1
        if (isOver) depth = 0
      } else {
        begunOnLine ??= line
        if (byte === QUOTE) isInString = true
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++
        else if (depth > 1 && (byte === CLOSING_BRACE || byte === CLOSING_BRACKET)) depth--
      }
    }
    rest = begunOnLine === undefined ? Buffer.alloc(0) : bytes.subarray(start)
    if (rest.length > MAX_RECORD_BYTES)
      frames.push({ line: begunOnLine ?? line, item, problem: TOO_LONG, endsFile: true })
    yield frames
  }
  if (begunOnLine !== undefined)
    yield [{ line: begunOnLine, item, problem: 'the file ends within this record', endsFile: true }]
  else if (!isOver) yield [{ line, problem: 'the file ends before its array is closed', endsFile: true }]
}

/** Documents are parsed as a whole, since records may refer to later members. An export of 100,000 tasks is smaller. */
export const MAX_DOCUMENT_BYTES = 67_108_864
/** Empty objects take twenty times the memory of their text. */
const MAX_DOCUMENT_VALUES = 5_000_000

export async function parseDocument(
  chunks: AsyncIterable<Buffer>,
): Promise<{ document: unknown } | { problem: string }> {
  const whole = await readUpTo(chunks, MAX_DOCUMENT_BYTES)
  if (whole === undefined)
    return {
      problem: `is a JSON document of more than ${MAX_DOCUMENT_BYTES / 1_048_576} MiB; a plain array of records, or NDJSON, may be larger`,
    }
  if (!isUtf8(whole)) return { problem: NOT_UTF8 }
  const parsed = parseOrExplain(whole.toString(), MAX_DOCUMENT_VALUES)
  if ('value' in parsed) return { document: parsed.value }
  return { problem: `the document ${parsed.problem.replace('is not JSON', 'is not valid JSON, or is truncated')}` }
}

const BATCH = 1000

export function* itemFrames(items: readonly unknown[]): Generator<Frame[]> {
  for (let at = 0; at < items.length; at += BATCH)
    yield items.slice(at, at + BATCH).map((value, i) => ({ item: at + i + 1, value }))
}
