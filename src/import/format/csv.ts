import { isUtf8 } from 'node:buffer'
import { type CsvError, type Parser, parse } from 'csv-parse'
import { type Frame, type Frames, MAX_RECORD_BYTES, NEWLINE, NOT_UTF8, TOO_LONG } from './frame.ts'

const DELIMITERS = [',', ';', '\t']
const RECORD_TOO_LONG = { problem: `${TOO_LONG}; is a quote left open?`, endsFile: true } as const
const NOT_CLOSED = 'a quote that opens here is never closed'
const MISPLACED = 'has a misplaced quote; a cell that contains quotes must be quoted, with each inner quote doubled'

/** Yields the header first, and skips blank rows. `head` is the start of the file. */
export async function* csvFrames(chunks: AsyncIterable<Buffer>, firstLine: number, head: Buffer): Frames {
  let frames: Frame[] = []
  let line = firstLine
  /** The bytes since the start of the current line, and their offset in the file. */
  let [held, heldFrom]: [Buffer, number] = [Buffer.alloc(0), 0]
  /** How many bytes the parser has received, and how many of them it has split into rows. */
  let [pushedBytes, splitBytes] = [0, 0]
  let misquotedLine = 0

  /** Offsets must be ascending. The parser's own line count treats CRLF within quotes as two lines. */
  const lineAt = (offset: number): number => {
    for (let end = held.indexOf(NEWLINE); end !== -1 && heldFrom + end < offset; end = held.indexOf(NEWLINE)) {
      held = held.subarray(end + 1)
      heldFrom += end + 1
      line++
    }
    return line
  }

  const addRow = (latin1: string[], endBytes: number): undefined => {
    const lengthBytes = endBytes - splitBytes
    splitBytes = endBytes
    // A row ends on the line of its last byte; the line breaks in its cells show where it started.
    const begin = lineAt(endBytes - 1) - latin1.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
    if (lengthBytes > MAX_RECORD_BYTES) frames.push({ line: begin, ...RECORD_TOO_LONG })
    else if (latin1.some((cell) => NOT_BLANK.test(cell))) {
      const cells = latin1.map(decoded)
      frames.push(isDecoded(cells) ? { line: begin, cells } : { line: begin, problem: NOT_UTF8 })
    }
  }

  const addMisquoted = (error: CsvError | undefined): undefined => {
    // This is the end of the field before the malformed one.
    splitBytes = parser.info.bytes
    lineAt(splitBytes)
    // The parser reports every quote of a field; one report per line is enough.
    if (line !== misquotedLine)
      frames.push({ line, problem: error?.code === 'CSV_QUOTE_NOT_CLOSED' ? NOT_CLOSED : MISPLACED })
    misquotedLine = line
  }

  const parser: Parser = parse({
    // One character per byte: in UTF-8, the parser would silently replace invalid bytes with U+FFFD.
    encoding: 'latin1',
    delimiter: delimiterOf(head),
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_records_with_error: true,
    on_record: (cells: string[], { bytes }) => addRow(cells, bytes),
    on_skip: addMisquoted,
  })
  // The callback of the failed write also gets the error.
  parser.on('error', () => {})

  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk])
    pushedBytes += chunk.length
    await finished((done) => parser.write(chunk, done))
    if (pushedBytes - splitBytes > MAX_RECORD_BYTES) frames.push({ line: lineAt(splitBytes), ...RECORD_TOO_LONG })
    yield frames
    frames = []
  }
  await finished((done) => parser.end(done))
  yield frames
}

const finished = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))

/** The most frequent delimiter in the header line, outside quotes. Without one, the file has a single column. */
function delimiterOf(head: Buffer): string {
  const [header = ''] = head
    .toString('latin1')
    .replace(/"[^"]*"?/g, '')
    .split('\n', 1)
  const countIn = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, other) => (countIn(other) > countIn(best) ? other : best))
}

const NOT_BLANK = /[^ \t\r\n]/
const NOT_ASCII = /[\x80-\xff]/
/** Shared by all cells, because a buffer per cell would be most of the garbage. No row is longer. */
const cellBytes = Buffer.allocUnsafe(MAX_RECORD_BYTES)

function decoded(latin1: string): string | undefined {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = cellBytes.subarray(0, cellBytes.write(latin1, 'latin1'))
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const isDecoded = (cells: (string | undefined)[]): cells is string[] => !cells.includes(undefined)
