import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import { type Frame, type Frames, isSpace, MAX_RECORD_BYTES, NEWLINE, TOO_LONG, textOf } from './frame.ts'

/** One record per line; blank lines are skipped. */
export async function* ndjsonFrames(chunks: AsyncIterable<Buffer>, firstLine: number): Frames {
  let line = firstLine
  let rest: Buffer = Buffer.alloc(0)
  const framesOf = (bytes: Buffer): Frame[] => {
    const record = { line: line++, ...textOf(bytes) }
    return 'text' in record && record.text.trim() === '' ? [] : [record]
  }
  for await (const chunk of chunks) {
    const frames: Frame[] = []
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NEWLINE, rest.length); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      frames.push(...framesOf(bytes.subarray(start, end)))
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > MAX_RECORD_BYTES) frames.push({ line, problem: TOO_LONG, isLast: true })
    yield frames
  }
  yield framesOf(rest)
}

/** A document is held whole, because its records may refer to what comes after them. An export of 500,000 tasks is smaller. */
export const MAX_DOCUMENT_BYTES = 268_435_456

const TOO_LARGE = `is a JSON document of more than ${MAX_DOCUMENT_BYTES / 1_048_576} MiB; records in an array of their own, or one per line, may be more`

/** The items of arrays that lie within a larger document, array by array in the order of `pointers`. */
export async function* documentFrames(
  chunks: AsyncIterable<Buffer>,
  firstLine: number,
  pointers: readonly string[],
): Frames {
  const held: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MAX_DOCUMENT_BYTES) return yield [{ line: firstLine, problem: TOO_LARGE, isLast: true }]
    held.push(chunk)
  }
  for (const array of pointers)
    for await (const frames of arrayFrames(held, firstLine, array)) yield frames.map((frame) => ({ ...frame, array }))
}

/** An object or array. Of an object, `name` is that of the member being read. */
interface Container {
  pointer: string
  isObject: boolean
  name: string | undefined
  index: number
}

/**
 * The records of one array, however it is laid out: the file itself, or where `pointer` leads in a document. Names are read
 * only on the way there; elsewhere only strings and brackets are followed, and whether a record is JSON is for its parser to
 * decide.
 */
export async function* arrayFrames(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  firstLine: number,
  pointer = '',
): Frames {
  const what = pointer === '' ? 'array' : 'document'
  /** Those on the way to the array, and the array itself. */
  const open: Container[] = []
  let records: Container | undefined
  /** How many objects and arrays are open within the last of `open`. */
  let depth = 0
  let [isOver, isInString, isEscaped, isName] = [false, false, false, false]
  let line = firstLine
  let item = 1
  /** Where the record that is being read began; undefined between records. */
  let begunOnLine: number | undefined
  /** What came of the record, or of the name, that is being read. */
  let rest: Buffer = Buffer.alloc(0)
  const enter = (place: string, isObject: boolean) => {
    const container = { pointer: place, isObject, name: undefined, index: 0 }
    open.push(container)
    if (place === pointer && !isObject) records = container
  }
  for await (const chunk of chunks) {
    const frames: Frame[] = []
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    const end = (problem: string): Frame[] => [...frames, { line, problem, isLast: true }]
    for (let i = rest.length; i < bytes.length; i++) {
      const byte = bytes[i]
      if (byte === NEWLINE) line++
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
        if (isInString || !isName) continue
        Object.assign(open.at(-1) as Container, { name: nameOf(bytes.subarray(start, i + 1)) })
        isName = false
        continue
      }
      const container = open.at(-1)
      const isInRecords = container !== undefined && container === records
      if (isSpace(byte)) {
        // Space between records is not part of one, or enough of it would make it too long.
        if (begunOnLine === undefined) start = i + 1
      } else if (container === undefined) {
        if (isOver) return yield end(`comes after the end of the ${what}`)
        enter('', byte === OPENING_BRACE)
        start = i + 1
      } else if (depth === 0 && (byte === COMMA || byte === CLOSING_BRACE || byte === CLOSING_BRACKET)) {
        if (byte !== COMMA && container.isObject !== (byte === CLOSING_BRACE)) return yield end('is not JSON')
        const isEmptyArray = byte !== COMMA && item === 1
        if (begunOnLine !== undefined)
          frames.push({ line: begunOnLine, item: item++, ...textOf(bytes.subarray(start, i)) })
        else if (isInRecords && !isEmptyArray) frames.push({ line, item: item++, problem: 'is missing beside a comma' })
        begunOnLine = undefined
        container.name = undefined
        container.index++
        start = i + 1
        if (byte !== COMMA) open.pop()
        isOver = open.length === 0
      } else {
        if (isInRecords) begunOnLine ??= line
        if (byte === QUOTE) {
          isInString = true
          isName = depth === 0 && container.isObject && container.name === undefined
          if (isName) start = i
        } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--
        else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
          const place = depth > 0 || isInRecords ? '' : `${container.pointer}/${container.name ?? container.index}`
          if (place === '' || !`${pointer}/`.startsWith(`${place}/`)) depth++
          else if (place === pointer && records !== undefined) return yield end(`${pointer} is there twice`)
          else {
            enter(place, byte === OPENING_BRACE)
            start = i + 1
          }
        }
      }
    }
    rest = begunOnLine === undefined && !isName ? Buffer.alloc(0) : bytes.subarray(start)
    if (rest.length > MAX_RECORD_BYTES)
      frames.push({ line: begunOnLine ?? line, item, problem: TOO_LONG, isLast: true })
    yield frames
  }
  if (begunOnLine !== undefined)
    yield [{ line: begunOnLine, item, problem: 'the file ends before this record does', isLast: true }]
  else if (!isOver) yield [{ line, problem: `the file ends before its ${what} does`, isLast: true }]
  else if (records === undefined) yield [{ line: firstLine, problem: `there is no array at ${pointer}`, isLast: true }]
}

/** A member's name as a pointer spells it. */
function nameOf(quoted: Buffer): string {
  try {
    return String(JSON.parse(quoted.toString())).replaceAll('~', '~0').replaceAll('/', '~1')
  } catch {
    return ''
  }
}
