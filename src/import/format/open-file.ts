import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { countBytes } from '../../lib/chunks.ts'
import { formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { type Frames, isSpace, NEWLINE, NOT_UTF8 } from './frame.ts'
import { arrayFrames, ndjsonFrames } from './json.ts'

export interface OpenedFile {
  format: 'csv' | 'lines' | 'array' | 'document' | 'unknown document' | 'empty'
  /** What the file is, if it cannot be read. */
  problem?: string | undefined
  /** Where the records start, after blank lines. */
  line: number
  /** The start of the file; also the first of the chunks. */
  head: Buffer
  chunks: AsyncIterable<Buffer>
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const GZIP = Buffer.from([0x1f, 0x8b])
/** Enough for a CSV header with a few thousand columns. */
const PEEK_BYTES = 65_536
/** For a response and for a decompressed file: three times a million tasks of usual length. */
export const MAX_BYTES = 1024 ** 3

/** Decompresses gzip, and skips the byte order mark and blank lines. A document is recognised by its first member, `member`. */
export async function openFile(file: AsyncIterator<Buffer>, member: string, name = 'the file'): Promise<OpenedFile> {
  let [chunks, head]: [AsyncIterator<Buffer>, Buffer] = [file, Buffer.alloc(0)]
  let [line, isEnd] = [1, false]
  while (head.length < PEEK_BYTES && !isEnd) {
    const { value, done = false } = await chunks.next()
    isEnd = done
    if (!done) head = Buffer.concat([head, value])
    if (head.indexOf(GZIP) === 0 && chunks === file) {
      const fail = (problem: string, cause?: unknown) => new UserError(`${name} ${problem}`, { cause })
      chunks = decompressed(followedBy(head, file), MAX_BYTES, fail)
      ;[head, isEnd] = [Buffer.alloc(0), false]
    }
    if (head.indexOf(BYTE_ORDER_MARK) === 0) head = head.subarray(BYTE_ORDER_MARK.length)
    let at = 0
    for (; isSpace(head[at]); at++) if (head[at] === NEWLINE) line++
    head = head.subarray(at)
  }
  return { format: formatOf(head, member), problem: problemOf(head), line, head, chunks: followedBy(head, chunks) }
}

/** Undefined for a document, which is parsed as a whole. */
export async function framesIn({ format, line, head, chunks }: OpenedFile): Promise<Frames | undefined> {
  // Loaded on demand: the CSV parser is more code than the rest of a small import.
  if (format === 'csv') return (await import('./csv.ts')).csvFrames(chunks, line, head)
  if (format === 'array') return arrayFrames(chunks, line)
  return format === 'lines' ? ndjsonFrames(chunks, line) : undefined
}

async function* followedBy(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield* { [Symbol.asyncIterator]: () => chunks }
}

function formatOf(head: Buffer, member: string): OpenedFile['format'] {
  const text = head.toString('latin1', 0, 1024)
  if (text === '') return 'empty'
  if (text.startsWith('[')) return 'array'
  if (!text.startsWith('{')) return 'csv'
  // A list of objects, because a record may have a field of that name.
  if (/^\{\s*"([^"]*)"\s*:\s*\[\s*(?:[{\]]|$)/.exec(text)?.[1] === member) return 'document'
  // An NDJSON record does not start with a line break.
  return /^\{[ \t\r]*\n/.test(text) ? 'unknown document' : 'lines'
}

function problemOf(head: Buffer): string | undefined {
  if (head.indexOf(GZIP) === 0) return 'is compressed twice; decompress it first'
  const text = head.toString('latin1')
  if (['PK\x03\x04', '\xd0\xcf\x11\xe0'].some((start) => text.startsWith(start)))
    return 'is an Excel workbook or a ZIP archive; save it as CSV (in Excel: CSV UTF-8), or unpack it first'
  if (/^<(?:!doctype html|html|head|body)\b/i.test(text))
    return 'is an HTML page, perhaps one to sign in, and not an export; check the location and its credentials'
  // The last line may end within a character.
  return isUtf8(head.subarray(0, head.lastIndexOf(NEWLINE) + 1)) ? undefined : NOT_UTF8
}

/** Throws unless it is whole and decompresses to at most `maxBytes`. `fail` creates the error. */
export async function* decompressed(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  fail: (problem: string, cause?: unknown) => Error,
): AsyncGenerator<Buffer> {
  const decoder = createGunzip()
  let [received, bytes] = [0, 0]
  const counted = countBytes(chunks, (length) => {
    received += length
  })
  // Failures on either side are thrown by the loop below.
  pipeline(Readable.from(counted, { objectMode: false }), decoder, () => {})
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw fail(`is larger than ${formatCount(maxBytes)} bytes, the limit`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof UserError) throw error
    throw fail('is not valid gzip, or was truncated', error)
  }
  // The decoder treats trailing bytes as padding, but they could be the damaged rest of the snapshot.
  if (decoder.bytesWritten !== received) throw fail('continues after the end of its gzip data')
}
