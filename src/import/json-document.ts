import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import { type Frames, isSpace, NEWLINE } from './frame.ts'
import { arrayFrames } from './json-records.ts'

/** A document is held whole, because its records may refer to what comes after them. An export of 500,000 tasks is smaller. */
export const MAX_DOCUMENT_BYTES = 268_435_456
/** The most of an array that is cut into records at a time, so that they are not all in memory at once. */
const PART_BYTES = 65_536
/** The most members of the document that are named where an array is not found. */
const MAX_NAMED = 20

const TOO_LARGE = `is a JSON document of more than ${MAX_DOCUMENT_BYTES / 1_048_576} MiB; records in an array of their own, or one per line, may be more`

/** The items of arrays that lie within a larger document, array by array in the order of `pointers`. */
export async function* documentFrames(
  chunks: AsyncIterable<Buffer>,
  firstLine: number,
  pointers: readonly string[],
): Frames {
  const held: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > MAX_DOCUMENT_BYTES) return yield [{ line: firstLine, problem: TOO_LARGE, isLast: true }]
    held.push(chunk)
  }
  const bytes = Buffer.concat(held)
  held.length = 0
  const found = findArrays(bytes, pointers)
  if (typeof found === 'string') return yield [{ line: firstLine, problem: found, isLast: true }]
  for (const [array, { start, end }] of found)
    for await (const frames of arrayFrames(partsOf(bytes.subarray(start, end)), lineAt(bytes, start, firstLine)))
      yield frames.map((frame) => ({ ...frame, array }))
}

async function* partsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

function lineAt(bytes: Buffer, offset: number, firstLine: number): number {
  let line = firstLine
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < offset; at = bytes.indexOf(NEWLINE, at + 1)) line++
  return line
}

/** An object or array on the way to the arrays, or one of them. `name` is that of the member being read. */
interface Container {
  pointer: string
  start: number
  isObject: boolean
  name: string | undefined
  index: number
}

/**
 * Finds where each array begins and ends, or returns what is wrong with the document. Names are read only on the way to the
 * arrays; elsewhere only strings and brackets are followed.
 */
function findArrays(bytes: Buffer, pointers: readonly string[]): Map<string, { start: number; end: number }> | string {
  const found = new Map(pointers.map((pointer) => [pointer, { start: -1, end: -1 }]))
  const isOnTheWay = (pointer: string) => found.has(pointer) || pointers.some((one) => one.startsWith(`${pointer}/`))
  const names: string[] = []
  const open: Container[] = []
  /** How many containers are open within the innermost of `open`. */
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    const container = open.at(-1)
    if (container === undefined && at > 0) {
      if (!isSpace(byte)) return 'comes after the end of the document'
    } else if (byte === QUOTE) {
      const start = at++
      for (; bytes[at] !== QUOTE && at < bytes.length; at++) if (bytes[at] === BACKSLASH) at++
      if (depth === 0 && container?.isObject && container.name === undefined) {
        container.name = nameOf(bytes.subarray(start, at + 1))
        if (open.length === 1 && names.length <= MAX_NAMED) names.push(container.name)
      }
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      const isObject = byte === OPENING_BRACE
      const pointer = container === undefined ? '' : `${container.pointer}/${container.name ?? container.index}`
      if (depth > 0 || !isOnTheWay(pointer)) depth++
      else open.push({ pointer, start: at, isObject, name: undefined, index: 0 })
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth > 0) depth--
      else if (container === undefined || container.isObject !== (byte === CLOSING_BRACE)) return 'is not JSON'
      else {
        open.pop()
        const array = container.isObject ? undefined : found.get(container.pointer)
        if (array !== undefined && array.start !== -1) return `${container.pointer} is there twice`
        if (array !== undefined) Object.assign(array, { start: container.start, end: at + 1 })
      }
    } else if (byte === COMMA && depth === 0 && container !== undefined) {
      container.index++
      container.name = undefined
    }
  }
  if (open.length > 0) return 'the file ends before its document does'
  const missing = pointers.find((pointer) => found.get(pointer)?.start === -1)
  if (missing === undefined) return found
  const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names
  return `there is no array at ${missing}${shown.length === 0 ? '' : `; the document has ${shown.join(', ')}`}`
}

/** A member's name as a pointer spells it. */
function nameOf(quoted: Buffer): string {
  try {
    return String(JSON.parse(quoted.toString())).replaceAll('~', '~0').replaceAll('/', '~1')
  } catch {
    return ''
  }
}
