import { isText } from '../lists/column.ts'
import { type List, publishedFields } from '../lists/definition.ts'
import type { ListPage, PageRequest } from '../lists/query.ts'
import { escapedJson } from './escaped-json.ts'

/** In code points. A model reads the beginning of a text, and requests the field by name if it needs the rest. */
const MAX_TEXT = 500
/** About 13,000 tokens. It also bounds what one request can cost others. */
const MAX_ROWS_BYTES = 40_000

/** The fields whose texts are cut unless they are requested. */
export const longFields = ({ fields }: List): string[] =>
  publishedFields(fields)
    .filter((field) => isText(field) && (field.maxLength ?? 0) > MAX_TEXT)
    .map(({ name }) => name)

/** The rows as they are sent to models, up to the one that would exceed the limit, but at least one if there are any. */
export function boundedPage(long: readonly string[], { fields }: PageRequest, page: ListPage): ListPage {
  const rows: string[] = []
  // Each row comes with a comma, or the closing bracket.
  let bytes = '['.length
  for (const row of page.rows) {
    const json = escapedJson(fields === undefined ? withTextsCut(row, long) : row)
    bytes += Buffer.byteLength(json) + 1
    if (bytes > MAX_ROWS_BYTES && rows.length > 0) return { ...page, rows, next: page.positions[rows.length - 1] }
    rows.push(json)
  }
  return { ...page, rows }
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
