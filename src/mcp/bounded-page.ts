import type { PageReading, PageRequest } from '../database/queries.ts'
import { escapedJson } from '../lib/escaped-json.ts'
import type { ListShape } from '../resources/list.ts'

/** In code points. A model reads the beginning of a text, and requests the field by name if it needs the rest. */
const MAX_TEXT = 500
/** About 13,000 tokens. It also bounds what one request can cost others. */
const MAX_ROWS_BYTES = 40_000
/** Bounds memory when texts are whole: a hundred of the longest rows are 13 MB. */
const WHOLE_ROWS_AT_ONCE = 25

/** The fields whose texts are cut unless they are requested. */
export const longFields = ({ fields, maxLengths }: ListShape): readonly string[] =>
  fields.filter((field) => (maxLengths[field] ?? 0) > MAX_TEXT)

/** Stops before the row that would exceed the limit, but returns at least one row if there are any. */
export async function readBoundedPage(
  list: ListShape,
  request: PageRequest,
  read: (page: PageRequest) => Promise<PageReading | undefined>,
): Promise<PageReading | undefined> {
  const long = longFields(list)
  const isCut = request.fields === undefined && long.length > 0
  const atOnce = request.fields?.some((field) => long.includes(field)) ? WHOLE_ROWS_AT_ONCE : request.limit
  const rows: Buffer[] = []
  let bytes = '[]'.length
  let first: PageReading | undefined
  let until = Number.POSITIVE_INFINITY
  let { after, withTotal = false } = request
  let limit = Math.min(request.limit, atOnce)
  let isEnd = false
  for (;;) {
    const page = await read({
      ...request,
      ...(after !== undefined && { after }),
      ...(isCut && { maxText: MAX_TEXT + 1 }),
      withTotal,
      limit,
    })
    if (page === undefined) return undefined
    // The digest must not be newer than any row, or a change between two reads would go unnoticed.
    first ??= page
    withTotal = false
    until = Math.min(until, page.until)
    const { fitting, isFull } = firstThatFit(page.rows, MAX_ROWS_BYTES - bytes, rows.length === 0, (row) =>
      escapedJson(isCut ? withTextsCut(row, long) : row),
    )
    if (isFull && fitting.length > 0) {
      // Reads again with the exact limit, so that the last position belongs to the same state.
      isEnd = true
      limit = fitting.length
      continue
    }
    rows.push(...fitting)
    bytes += fitting.reduce((sum, row) => sum + row.length + 1, 0)
    if (isFull) return { ...first, rows: joined(rows), next: after, until }
    after = page.next
    // A read may end before its limit, if it looked through many rows that do not match.
    if (isEnd || after === undefined || fitting.length < limit || rows.length >= request.limit)
      return { ...first, rows: joined(rows), next: after, until }
    limit = Math.min(request.limit - rows.length, atOnce)
  }
}

function firstThatFit(rows: Buffer, maxBytes: number, isFirst: boolean, shown: (row: Buffer) => Buffer) {
  const fitting: Buffer[] = []
  let left = maxBytes
  for (const row of rowsIn(rows)) {
    const fit = shown(row)
    left -= fit.length + 1
    if (left < 0 && !(isFirst && fitting.length === 0)) return { fitting, isFull: true }
    fitting.push(fit)
  }
  return { fitting, isFull: false }
}

const BETWEEN_ROWS = Buffer.from('},{"')

/** Splits flat JSON objects. A text may contain `},{`, but the quote after it is never followed by a field's name. */
function* rowsIn(rows: Buffer): Generator<Buffer> {
  let start = 0
  for (let at = rows.indexOf(BETWEEN_ROWS); at !== -1; at = rows.indexOf(BETWEEN_ROWS, at + 1)) {
    if (!isLetter(rows[at + BETWEEN_ROWS.length])) continue
    yield rows.subarray(start, at + 1)
    start = at + 2
  }
  if (rows.length > 0) yield rows.subarray(start)
}

/** Field names begin with a lower-case letter. */
const isLetter = (byte = 0) => byte >= 0x61 && byte <= 0x7a

function withTextsCut(row: Buffer, long: readonly string[]): Buffer {
  if (row.length <= MAX_TEXT) return row
  const values = JSON.parse(row.toString()) as Record<string, unknown>
  const truncated: string[] = []
  for (const field of long) {
    const text = values[field]
    if (typeof text !== 'string' || text.length <= MAX_TEXT) continue
    const characters = [...text]
    if (characters.length <= MAX_TEXT) continue
    values[field] = characters.slice(0, MAX_TEXT).join('')
    truncated.push(field)
  }
  return truncated.length === 0 ? row : Buffer.from(JSON.stringify({ ...values, truncated }))
}

const COMMA = Buffer.from(',')
const joined = (rows: readonly Buffer[]): Buffer =>
  Buffer.concat(rows.flatMap((row, i) => (i === 0 ? [row] : [COMMA, row])))
