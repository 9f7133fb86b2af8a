import { pointerFinder } from '../format/json-pointer.ts'
import type { MapFile } from '../map/schema.ts'

const valueAt = (pointer: string | undefined, document: unknown) =>
  pointer === undefined ? undefined : pointerFinder(pointer)(document)[0]

type NextPage = { url: string } | { parameter: string; value: string | number }

export function nextPageOf(document: unknown, map: Partial<MapFile>): NextPage | undefined {
  const { url, token, parameter = '', more, offsetParameter } = map.nextPage ?? {}
  if (more !== undefined && valueAt(more, document) !== true) return undefined
  const next = valueAt(url ?? token, document)
  if ((typeof next === 'string' && next !== '') || typeof next === 'number')
    return url === undefined ? { parameter, value: String(next) } : { url: String(next) }
  const { end, total } = extentOf(document, map)
  return offsetParameter !== undefined && total > end ? { parameter: offsetParameter, value: end } : undefined
}

/** The numbers of records before and up to the end of this page, and in all pages; NaN if the document has no total. */
export function extentOf(document: unknown, { nextPage, records }: Partial<MapFile>) {
  const start = Number(valueAt(nextPage?.offset, document) ?? 0)
  const end = start + Object(valueAt(records, document)).length
  return { start, end, total: Number(valueAt(nextPage?.total, document) ?? Number.NaN) }
}

/** Where the document has no number, without which it could be one page of several. With a token or URL, it needs no total. */
export function missingNumberIn(document: unknown, map: Partial<MapFile> = {}): string | undefined {
  const { url, token, total, offset, offsetParameter } = map.nextPage ?? {}
  const extent = extentOf(document, map)
  if (Number.isNaN(extent.start)) return offset
  return offsetParameter !== undefined && (url ?? token) === undefined && Number.isNaN(extent.total) ? total : undefined
}

const NEXT_PAGE = ['next', 'next_page', 'nextCursor', 'nextPageToken', '@odata.nextLink']

/** The member of an API's document that shows that there are more pages: the map's, or one at the top. */
export function nextPageIn(document: unknown, map: Partial<MapFile> = {}): string | undefined {
  const { url, token, more, total } = map.nextPage ?? {}
  const hasMore = valueAt(more, document)
  if (hasMore === true) return more
  const extent = extentOf(document, map)
  if (extent.total > extent.end) return total
  if (nextPageOf(document, map) !== undefined) return url ?? token
  // Some APIs have a token on the last page too.
  if (hasMore === false) return undefined
  const members = Object(document) as Record<string, unknown>
  if (members.hasMore === true) return 'hasMore'
  if (members.has_more === true) return 'has_more'
  if (members.last_page === false) return 'last_page'
  return NEXT_PAGE.find((name) => {
    const value = members[name] ?? ''
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== '' && value !== false
  })
}
