import { isUtf8 } from 'node:buffer'
import { type CsvError, type Parser, parse } from 'csv-parse'
import type { CsvColumns } from './csv-columns.ts'
import { DelimiterDetector } from './csv-delimiter.ts'
import { type Frame, type Framer, MAX_RECORD_BYTES, NOT_UTF8, TOO_LONG } from './frame.ts'

/** A header row that names columns, then a record a row. Cells are separated by commas, semicolons or tabs. */
export class CsvFramer implements Framer {
  #parser: Parser | undefined
  readonly #columns: CsvColumns
  readonly #lines: LineIndex
  readonly #detector = new DelimiterDetector()
  /** What came before the header line was complete. */
  #head: Buffer[] = []
  #columnCount: number | undefined
  #frames: Frame[] = []
  #pushedBytes = 0
  /** Up to here the file is cut into rows. */
  #cutBytes = 0
  #misquotedLine = 0

  constructor(firstLine: number, columns: CsvColumns) {
    this.#columns = columns
    this.#lines = new LineIndex(firstLine)
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    this.#lines.add(chunk)
    this.#pushedBytes += chunk.length
    if (this.#parser === undefined) {
      this.#head.push(chunk)
      if (!this.#detector.add(chunk) && this.#pushedBytes <= MAX_RECORD_BYTES) return []
    }
    const frames = await this.#write(this.#parser === undefined ? Buffer.concat(this.#head) : chunk)
    this.#head = []
    if (this.#pushedBytes - this.#cutBytes > MAX_RECORD_BYTES)
      frames.push({ line: this.#lines.lineAt(this.#cutBytes), ...ENDLESS })
    return frames
  }

  async *end(): AsyncGenerator<Frame[]> {
    if (this.#parser === undefined) yield await this.#write(Buffer.concat(this.#head))
    const parser = this.#parser ?? this.#createParser()
    yield await this.#parse((done) => parser.end(done))
  }

  #write(chunk: Buffer): Promise<Frame[]> {
    this.#parser ??= this.#createParser()
    const parser = this.#parser
    return this.#parse((done) => parser.write(chunk, done))
  }

  #createParser(): Parser {
    const parser: Parser = parse({
      // A character a byte: asked for UTF-8, the parser would put U+FFFD in place of what is not, and no one would know.
      encoding: 'latin1',
      delimiter: this.#detector.delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_records_with_error: true,
      on_record: (cells: string[], { bytes }) => this.#addRow(cells, bytes),
      on_skip: (error) => this.#addMisquoted(error, parser.info.bytes),
    })
    // The callback of the write that failed gets the error too.
    parser.on('error', () => {})
    return parser
  }

  async #parse(write: (done: (error?: Error | null) => void) => void): Promise<Frame[]> {
    await new Promise<void>((resolve, reject) => write((error) => (error ? reject(error) : resolve())))
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  #addRow(latin1: string[], endBytes: number): undefined {
    const lengthBytes = endBytes - this.#cutBytes
    this.#cutBytes = endBytes
    // A row ends on the line of its last byte; the line breaks in its cells tell where it began.
    const line = this.#lines.lineAt(endBytes - 1) - latin1.reduce((sum, cell) => sum + lineBreaksIn(cell), 0)
    if (lengthBytes > MAX_RECORD_BYTES) this.#frames.push({ line, ...ENDLESS })
    else if (latin1.some((cell) => NOT_BLANK.test(cell))) this.#addCells(latin1.map(decoded), line)
  }

  #addCells(cells: (string | undefined)[], line: number): void {
    if (!isDecoded(cells)) this.#frames.push({ line, problem: NOT_UTF8, ...this.#lastInHeader })
    else if (this.#columnCount === undefined) this.#readHeader(cells, line)
    else if (cells.length !== this.#columnCount)
      this.#frames.push({
        line,
        problem: `has ${cellsInWords(cells.length)} where the header has ${this.#columnCount}`,
      })
    else this.#frames.push({ line, value: this.#columns.toValue(cells) })
  }

  #readHeader(cells: string[], line: number): void {
    const { maxColumns } = this.#columns
    if (cells.length > maxColumns) {
      const problem = `the header has ${cells.length} columns; at most ${maxColumns} are read`
      this.#frames.push({ line, problem, isLast: true })
      return
    }
    this.#columnCount = cells.length
    const names = cells.map((cell) => cell.trim())
    const { problems, isUseless, isStrange = false } = this.#columns.readHeader(names)
    if (problems.length === 0) return
    const problem = problems.join('; ')
    this.#frames.push({ line, problem, ...(isUseless && { isLast: true }), ...(isStrange && { names }) })
  }

  /** Without a header, no row can be understood. */
  get #lastInHeader(): { isLast?: true } {
    return this.#columnCount === undefined ? { isLast: true } : {}
  }

  #addMisquoted(error: CsvError | undefined, endBytes: number): undefined {
    // The end of the field before the one at fault.
    this.#cutBytes = endBytes
    const line = this.#lines.lineAt(this.#cutBytes)
    // The parser speaks up at each quote of a field; once a line is enough.
    if (line === this.#misquotedLine) return
    this.#misquotedLine = line
    const problem =
      error?.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote that is opened here is never closed'
        : 'has a quote out of place; a cell with quotes in it stands in quotes, with each of its own doubled'
    this.#frames.push({ line, problem, ...this.#lastInHeader })
  }
}

const ENDLESS = { problem: `${TOO_LONG}; is a quote left open?`, isLast: true } as const

const NOT_BLANK = /[^ \t\r\n]/
const NOT_ASCII = /[\x80-\xff]/
/** One for all cells: a buffer for each would be more garbage than all the rest. No row that is read is longer. */
const cellBytes = Buffer.allocUnsafe(MAX_RECORD_BYTES)

/** Undefined if the bytes are not UTF-8. */
function decoded(latin1: string): string | undefined {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = cellBytes.subarray(0, cellBytes.write(latin1, 'latin1'))
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const isDecoded = (cells: (string | undefined)[]): cells is string[] => !cells.includes(undefined)

const cellsInWords = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)

function lineBreaksIn(cell: string): number {
  let count = 0
  for (let i = cell.indexOf('\n'); i !== -1; i = cell.indexOf('\n', i + 1)) count++
  return count
}

/** Tells on which line a byte lies, asked in rising order. The parser's own count takes CRLF within quotes for two lines. */
class LineIndex {
  #line: number
  #newlines: number[] = []
  #passed = 0
  #addedBytes = 0

  constructor(firstLine: number) {
    this.#line = firstLine
  }

  add(chunk: Buffer): void {
    if (this.#passed > 0) this.#newlines = this.#newlines.slice(this.#passed)
    this.#passed = 0
    for (let i = chunk.indexOf('\n'); i !== -1; i = chunk.indexOf('\n', i + 1))
      this.#newlines.push(this.#addedBytes + i)
    this.#addedBytes += chunk.length
  }

  lineAt(offsetBytes: number): number {
    while ((this.#newlines[this.#passed] ?? Number.POSITIVE_INFINITY) < offsetBytes) {
      this.#passed++
      this.#line++
    }
    return this.#line
  }
}
