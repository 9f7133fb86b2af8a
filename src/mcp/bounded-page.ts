import { isText } from '../lists/column.ts'
import { type List, publishedFields } from '../lists/definition.ts'
import type { ListPage, PageRequest } from '../lists/query.ts'
import { escapedJson } from './escaped-json.ts'

/** In code points. A model reads the beginning of a text, and requests the field by name if it needs the rest. */
const MAX_TEXT = 500
/** About 13,000 tokens. It also bounds what one request can cost others. */
const MAX_ROWS_BYTES = 40_000
/** Bounds memory when texts are whole: a hundred of the longest rows are 13 MB. */
const WHOLE_ROWS_AT_ONCE = 25

/** The fields whose texts are cut unless they are requested. */
export const longFields = ({ fields }: List): string[] =>
  publishedFields(fields)
    .filter((field) => isText(field) && (field.maxLength ?? 0) > MAX_TEXT)
    .map(({ name }) => name)

/** `rows` are as they are sent. */
export type BoundedPage = Omit<ListPage, 'positions'>

/** Cuts the `long` fields. Stops before the row that would exceed the limit, but returns at least one row if there are any. */
export async function readBoundedPage(
  long: readonly string[],
  request: PageRequest,
  read: (page: PageRequest) => Promise<ListPage>,
): Promise<BoundedPage> {
  const isCut = request.fields === undefined && long.length > 0
  const atOnce = request.fields?.some((field) => long.includes(field)) ? WHOLE_ROWS_AT_ONCE : request.limit
  const rows: string[] = []
  // Each row comes with a comma, or the closing bracket.
  let bytes = '['.length
  let first: ListPage | undefined
  let until = Number.POSITIVE_INFINITY
  let { after } = request
  for (;;) {
    const limit = Math.min(request.limit - rows.length, atOnce)
    const page = await read({
      ...request,
      ...(after !== undefined && { after }),
      ...(isCut && { maxText: MAX_TEXT + 1 }),
      ...(first !== undefined && request.changes && { changes: { ...request.changes, until: first.moment } }),
      withTotal: first === undefined && request.withTotal === true,
      limit,
    })
    // The digest must not be newer than any row, or a change between two reads would go unnoticed.
    first ??= page
    until = Math.min(until, page.until)
    for (const [i, row] of page.rows.entries()) {
      const json = escapedJson(isCut ? withTextsCut(row, long) : row)
      bytes += Buffer.byteLength(json) + 1
      if (bytes > MAX_ROWS_BYTES && rows.length > 0)
        return { ...first, rows, next: i === 0 ? after : page.positions[i - 1], until }
      rows.push(json)
    }
    after = page.next
    if (after === undefined || rows.length >= request.limit) return { ...first, rows, next: after, until }
  }
}

function withTextsCut(row: string, long: readonly string[]): string {
  if (row.length <= MAX_TEXT) return row
  const values = JSON.parse(row) as Record<string, unknown>
  const truncated: string[] = []
  for (const field of long) {
    const text = values[field]
    if (typeof text !== 'string' || text.length <= MAX_TEXT) continue
    const characters = [...text]
    if (characters.length <= MAX_TEXT) continue
    values[field] = characters.slice(0, MAX_TEXT).join('')
    truncated.push(field)
  }
  return truncated.length === 0 ? row : JSON.stringify({ ...values, truncated })
}
