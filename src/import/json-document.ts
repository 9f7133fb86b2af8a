import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../lib/json-text.ts'
import { type Frame, type Framer, isSpace, NEWLINE } from './frame.ts'
import { ArrayFramer } from './json-frames.ts'

/** A document is held whole, because its records may refer to what comes after them. An export of 500,000 tasks is smaller. */
export const MAX_DOCUMENT_BYTES = 268_435_456
/** So much of an array is cut into records at a time: they are not all in memory at once. */
const PART_BYTES = 65_536
/** As many members of the document as are named where an array is not found. */
const MAX_NAMED = 20

const TOO_LARGE = `is a JSON document of more than ${MAX_DOCUMENT_BYTES / 1_048_576} MiB; records in an array of their own, or one per line, may be more`

/** The items of arrays that lie within a larger document, array by array in the order of `pointers`. */
export class DocumentFramer implements Framer {
  readonly #firstLine: number
  readonly #pointers: readonly string[]
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(firstLine: number, pointers: readonly string[]) {
    this.#firstLine = firstLine
    this.#pointers = pointers
  }

  push(chunk: Buffer): Frame[] {
    const length = this.#length + chunk.length
    if (length > MAX_DOCUMENT_BYTES) return [{ line: this.#firstLine, problem: TOO_LARGE, isLast: true }]
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * length)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#length)
    this.#length = length
    return []
  }

  *end(): Generator<Frame[]> {
    const bytes = this.#bytes.subarray(0, this.#length)
    const finder = new ArrayFinder(bytes, this.#pointers)
    const problem = finder.find()
    if (problem !== undefined) return yield [{ line: this.#lineAt(finder.start), problem, isLast: true }]
    for (const [pointer, { start, end }] of finder.found) {
      const framer = new ArrayFramer(this.#lineAt(start))
      for (let at = start; at < end; at += PART_BYTES)
        yield framer
          .push(bytes.subarray(at, Math.min(at + PART_BYTES, end)))
          .map((frame) => ({ ...frame, array: pointer }))
    }
  }

  #lineAt(offset: number): number {
    let line = this.#firstLine
    for (let at = this.#bytes.indexOf(NEWLINE); at !== -1 && at < offset; at = this.#bytes.indexOf(NEWLINE, at + 1))
      line++
    return line
  }
}

class NotUnderstoodError extends Error {}

/** Follows the names on the way to the arrays. Elsewhere it only looks for the ends of values. */
class ArrayFinder {
  readonly found: Map<string, { start: number; end: number }>
  /** Where the last token begins and ends. */
  start = 0
  #end = 0
  readonly #bytes: Buffer
  readonly #names: string[] = []

  constructor(bytes: Buffer, pointers: readonly string[]) {
    this.#bytes = bytes
    this.found = new Map(pointers.map((pointer) => [pointer, { start: -1, end: -1 }]))
  }

  /** Returns what is wrong with the document. */
  find(): string | undefined {
    try {
      this.#readValue(this.#nextToken(), '')
    } catch (error) {
      if (error instanceof NotUnderstoodError) return error.message
      throw error
    }
    this.#passSpace()
    if (this.start < this.#bytes.length) return 'comes after the end of the document'
    const missing = this.found.keys().find((pointer) => this.found.get(pointer)?.start === -1)
    if (missing === undefined) return undefined
    const more = this.#names.length > MAX_NAMED ? ', …' : ''
    const names = this.#names.slice(0, MAX_NAMED).join(', ')
    return `there is no array at ${missing}${names === '' ? '' : `; the document has ${names}${more}`}`
  }

  #readValue(first: number, pointer: string): void {
    const { start } = this
    const array = this.found.get(pointer)
    if (array !== undefined && first !== OPENING_BRACKET)
      throw new NotUnderstoodError(`what lies at ${pointer} is not an array`)
    if (array !== undefined && array.start !== -1) throw new NotUnderstoodError(`${pointer} is there twice`)
    const isContainer = first === OPENING_BRACE || first === OPENING_BRACKET
    if (isContainer && this.found.keys().some((one) => one.startsWith(`${pointer}/`))) this.#readMembers(first, pointer)
    else if (isContainer) this.#passMembers(first)
    else if (NESTING[first] !== undefined && first !== QUOTE) throw new NotUnderstoodError('is not JSON')
    if (array !== undefined) Object.assign(array, { start, end: this.#end })
  }

  #passMembers(opening: number): void {
    let token = opening
    let depth = 1
    while (depth > 0) {
      token = this.#nextToken()
      depth += NESTING[token] ?? 0
    }
    if (token !== closingOf(opening)) throw new NotUnderstoodError('is not JSON')
  }

  #readMembers(opening: number, pointer: string): void {
    const isObject = opening === OPENING_BRACE
    let first = this.#nextToken()
    for (let index = 0; first !== closingOf(opening); index++) {
      if (index > 0) first = this.#nextTokenAfter(COMMA, first)
      let name = String(index)
      if (isObject) {
        name = this.#readName(first)
        first = this.#nextTokenAfter(COLON, this.#nextToken())
      }
      if (pointer === '' && isObject && index <= MAX_NAMED) this.#names.push(name)
      this.#readValue(first, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      first = this.#nextToken()
    }
  }

  #readName(first: number): string {
    try {
      if (first === QUOTE) return JSON.parse(this.#bytes.toString('utf8', this.start, this.#end))
    } catch {}
    throw new NotUnderstoodError('is not JSON')
  }

  #nextTokenAfter(expected: number, last: number): number {
    if (last !== expected) throw new NotUnderstoodError('is not JSON')
    return this.#nextToken()
  }

  /** Returns the first byte of the next token: a string, a bracket, a comma, a colon, or a number or word. */
  #nextToken(): number {
    const bytes = this.#bytes
    this.#passSpace()
    let at = this.start
    const first = bytes[at++] ?? this.#cutShort()
    if (first === QUOTE) {
      for (; bytes[at] !== QUOTE; at++) if ((bytes[at] ?? this.#cutShort()) === BACKSLASH) at++
      at++
    } else if (NESTING[first] === undefined)
      while (at < bytes.length && !isSpace(bytes[at]) && NESTING[bytes[at] as number] === undefined) at++
    this.#end = at
    return first
  }

  #passSpace(): void {
    let at = this.#end
    while (isSpace(this.#bytes[at])) at++
    this.start = at
  }

  #cutShort(): never {
    throw new NotUnderstoodError('the file ends before its document does')
  }
}

const closingOf = (opening: number): number => (opening === OPENING_BRACE ? CLOSING_BRACE : CLOSING_BRACKET)

/** What ends a number or a word, and how much deeper it leads. */
const NESTING: Readonly<Record<number, number>> = {
  [OPENING_BRACE]: 1,
  [OPENING_BRACKET]: 1,
  [CLOSING_BRACE]: -1,
  [CLOSING_BRACKET]: -1,
  [COMMA]: 0,
  [COLON]: 0,
  [QUOTE]: 0,
}
