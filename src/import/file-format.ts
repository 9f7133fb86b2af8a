import { isSpace, NEWLINE } from './frame.ts'

export interface OpenedFile {
  format: 'csv' | 'lines' | 'array' | 'document' | 'unknown document' | 'utf-16' | 'empty'
  /** Where the records start, after blank lines. */
  line: number
  /** The start of the file; also the first of the chunks. */
  head: Buffer
  chunks: AsyncIterable<Buffer>
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
/** Enough for a CSV header with a thousand columns. */
const PEEK_BYTES = 65_536

/** Skips the byte order mark and blank lines. A document is recognised by its first member, `member`. */
export async function openFile(chunks: AsyncIterator<Buffer>, member: string): Promise<OpenedFile> {
  let head: Buffer = Buffer.alloc(0)
  let [line, isEnd] = [1, false]
  while (head.length < PEEK_BYTES && !isEnd) {
    const { value, done = false } = await chunks.next()
    isEnd = done
    if (!done) head = Buffer.concat([head, value])
    if (head.indexOf(BYTE_ORDER_MARK) === 0) head = head.subarray(BYTE_ORDER_MARK.length)
    let at = 0
    for (; isSpace(head[at]); at++) if (head[at] === NEWLINE) line++
    head = head.subarray(at)
  }
  return { format: formatOf(head, member), line, head, chunks: followedBy(head, chunks) }
}

async function* followedBy(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield* { [Symbol.asyncIterator]: () => chunks }
}

function formatOf(head: Buffer, member: string): OpenedFile['format'] {
  const text = head.toString('latin1', 0, 1024)
  if (text === '') return 'empty'
  if (isUtf16(head)) return 'utf-16'
  if (text.startsWith('[')) return 'array'
  if (!text.startsWith('{')) return 'csv'
  if (/^\{\s*"([^"]*)"\s*:/.exec(text)?.[1] === member) return 'document'
  // An NDJSON record does not start with a line break.
  return /^\{[ \t\r]*\n/.test(text) ? 'unknown document' : 'lines'
}

/** Without a byte order mark, every other byte of plain text is 0. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0)
}
