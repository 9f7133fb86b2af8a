import type { CsvColumns } from './csv-columns.ts'
import { type Framer, isSpace, NEWLINE } from './frame.ts'
import { DocumentFramer } from './json-document.ts'
import { ArrayFramer, NdjsonFramer } from './json-frames.ts'

/** What is known of a file before it is read. */
export interface Layout {
  columns: CsvColumns
  /** The member that a JSON document has its records in, if it begins with it, as in `{"tasks":[…]}`. */
  member: string
  /** JSON pointers to the arrays of a document in the order in which a map needs them: the records come last. */
  arrays?: readonly string[]
  /** The only format that a map reads, and the map's name. */
  only?: { format: 'csv' | 'json'; map: string }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const UTF_16 = 'is UTF-16 text; save it as UTF-8 first (in Excel: CSV UTF-8)'
/** As much of an object as is looked at to tell a document from a line. */
const MAX_PEEK_BYTES = 1024

/** Reads past the beginning of a file, until it tells what the file is. */
export class Sniffer {
  readonly #layout: Layout
  #head: Buffer = Buffer.alloc(0)
  #isStart = true
  #line = 1

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** Undefined as long as it cannot be told. */
  async sniff(chunk: Buffer, isEnd = false): Promise<{ framer: Framer; rest: Buffer } | undefined> {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    if (this.#isStart) {
      if (this.#head.length < BYTE_ORDER_MARK.length && !isEnd) return undefined
      if (isUtf16(this.#head)) return { framer: refusing(this.#line, UTF_16), rest: this.#head }
      if (this.#head.indexOf(BYTE_ORDER_MARK) === 0) this.#head = this.#head.subarray(BYTE_ORDER_MARK.length)
      this.#isStart = false
    }
    let at = 0
    for (; at < this.#head.length && isSpace(this.#head[at]); at++) if (this.#head[at] === NEWLINE) this.#line++
    this.#head = this.#head.subarray(at)
    const framer = this.#head.length === 0 ? undefined : await this.#framer(isEnd)
    return framer && { framer, rest: this.#head }
  }

  async #framer(isEnd: boolean): Promise<Framer | undefined> {
    const { columns, member, arrays, only } = this.#layout
    const first = String.fromCharCode(this.#head[0] ?? 0)
    const format = first === '{' || first === '[' ? 'json' : 'csv'
    if (only !== undefined && only.format !== format)
      return refusing(this.#line, `is not ${only.format === 'csv' ? 'CSV' : 'JSON'}, which the map ${only.map} reads`)
    if (format === 'csv') {
      // Loaded when needed: the parser of CSV is more code than the rest of a small import.
      const { CsvFramer } = await import('./csv-frames.ts')
      return new CsvFramer(this.#line, columns)
    }
    if (arrays !== undefined) return new DocumentFramer(this.#line, arrays)
    if (first === '[') return new ArrayFramer(this.#line)
    const name = firstName(this.#head.subarray(0, MAX_PEEK_BYTES))
    if (name === undefined && !isEnd && this.#head.length < MAX_PEEK_BYTES) return undefined
    if (name !== member)
      return isOverLines(this.#head) ? refusing(this.#line, documentProblem(member)) : new NdjsonFramer(this.#line)
    return new DocumentFramer(this.#line, [`/${member}`])
  }
}

/** The name of an object's first member; undefined if it is not all there. */
const firstName = (bytes: Buffer): string | undefined => /^\{\s*"([^"]*)"\s*:/.exec(bytes.toString('latin1'))?.[1]

/** Whether an object does not even begin on one line, as a record does. */
const isOverLines = (bytes: Buffer): boolean => /^\{[ \t\r]*\n/.test(bytes.toString('latin1', 0, MAX_PEEK_BYTES))

const documentProblem = (member: string): string =>
  `is a JSON document, and its records are not in ${member}; a map says where they lie: see --map and docs/maps.md`

/** By its byte order mark, or because every other byte of plain text is 0. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0)
}

const refusing = (line: number, problem: string): Framer => ({
  push: () => [{ line, problem, isLast: true }],
  end: () => [],
})
