import { isUtf8 } from 'node:buffer'
import { type CsvError, type Parser, parse } from 'csv-parse'
import { type Frame, type Framer, MAX_RECORD_BYTES, NOT_UTF8, TOO_LONG } from './frame.ts'
import type { RecordReader } from './record.ts'

/** A header row that names fields, then a record a row. An empty cell says nothing of its field. */
export class CsvFramer implements Framer {
  readonly #parser: Parser
  readonly #record: RecordReader
  readonly #lines: LineIndex
  #header: string[] | undefined
  #frames: Frame[] = []
  #pushedBytes = 0
  /** Up to here the file is cut into rows. */
  #cutBytes = 0
  #misquotedLine = 0

  constructor(firstLine: number, record: RecordReader) {
    this.#record = record
    this.#lines = new LineIndex(firstLine)
    this.#parser = parse({
      // A character a byte: asked for UTF-8, the parser would put U+FFFD in place of what is not, and no one would know.
      encoding: 'latin1',
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_records_with_error: true,
      on_record: (cells: string[], { bytes }) => this.#addRow(cells, bytes),
      on_skip: (error) => this.#addMisquoted(error),
    })
    // The callback of the write that failed gets the error too.
    this.#parser.on('error', () => {})
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    this.#lines.add(chunk)
    this.#pushedBytes += chunk.length
    const frames = await this.#parse((done) => this.#parser.write(chunk, done))
    if (this.#pushedBytes - this.#cutBytes > MAX_RECORD_BYTES)
      frames.push({ line: this.#lines.lineAt(this.#cutBytes), ...ENDLESS })
    return frames
  }

  end(): Promise<Frame[]> {
    return this.#parse((done) => this.#parser.end(done))
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
    if (!isDecoded(cells)) this.#frames.push({ line, problem: NOT_UTF8, ...(this.#header ? {} : { isLast: true }) })
    else if (this.#header === undefined) this.#readHeader(cells, line)
    else if (cells.length !== this.#header.length)
      this.#frames.push({
        line,
        problem: `has ${cellsInWords(cells.length)} where the header has ${this.#header.length}`,
      })
    else this.#frames.push({ line, value: this.#toRecord(this.#header, cells) })
  }

  /** A field that is not known is reported once, here, and not again on every line. */
  #readHeader(cells: string[], line: number): void {
    if (cells.length > MAX_COLUMNS) {
      const problem = `the header has ${cells.length} columns; at most ${MAX_COLUMNS} are read`
      this.#frames.push({ line, problem, isLast: true })
      return
    }
    const { fieldNames, requiredFields } = this.#record
    this.#header = cells.map((cell) => cell.trim())
    const unknown = this.#header.filter((name) => !fieldNames.includes(name))
    const missing = requiredFields.filter((name) => !this.#header?.includes(name))
    const repeated = fieldNames.filter((field) => this.#header?.indexOf(field) !== this.#header?.lastIndexOf(field))
    const problems = [
      ...unknown.map((name) => (name === '' ? 'a column has no name' : `${name} is not known here`)),
      ...missing.map((name) => `${name} is required`),
      ...repeated.map((name) => `${name} is there twice`),
    ]
    if (problems.length === 0) return
    if (missing.length > 0) problems.push('a CSV file begins with the names of its fields, separated by commas')
    const isUseless = missing.length + repeated.length > 0
    this.#frames.push({ line, problem: problems.join('; '), ...(isUseless && { isLast: true }) })
  }

  #toRecord(header: string[], cells: string[]): Record<string, string | number> {
    const record: Record<string, string | number> = {}
    header.forEach((name, i) => {
      const cell = cells[i]
      if (cell && this.#record.fieldNames.includes(name)) record[name] = this.#record.fromText(name, cell)
    })
    return record
  }

  #addMisquoted(error: CsvError | undefined): undefined {
    // The end of the field before the one at fault.
    this.#cutBytes = this.#parser.info.bytes
    const line = this.#lines.lineAt(this.#cutBytes)
    // The parser speaks up at each quote of a field; once a line is enough.
    if (line === this.#misquotedLine) return
    this.#misquotedLine = line
    const problem =
      error?.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote that is opened here is never closed'
        : 'has a quote out of place; a cell with quotes in it stands in quotes, with each of its own doubled'
    this.#frames.push({ line, problem, ...(this.#header ? {} : { isLast: true }) })
  }
}

/** No resource has as many fields; the rest would only be named as unknown. */
const MAX_COLUMNS = 1000

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
