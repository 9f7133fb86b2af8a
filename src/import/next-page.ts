import { pointerFinder } from './json-pointer.ts'
import type { MapFile } from './map/schema.ts'

const valueAt = (pointer: string | undefined, document: unknown) =>
  pointer === undefined ? undefined : pointerFinder(pointer)(document)[0]

/** The URL or token of the next page, if the document names one where the map says. */
export function nextPageNamed(document: unknown, nextPage: MapFile['nextPage']): string | undefined {
  const isMore = nextPage?.more === undefined || valueAt(nextPage.more, document)
  const named = valueAt(nextPage?.url ?? nextPage?.token, document)
  return isMore === true && (typeof named === 'string' || typeof named === 'number') && named !== ''
    ? String(named)
    : undefined
}

const NEXT_PAGE = ['next', 'next_page', 'nextCursor', 'nextPageToken', '@odata.nextLink']

/** The member of an API's document that shows that there are more pages: the map's, or one at the top. */
export function nextPageIn(document: unknown, { nextPage, records }: Partial<MapFile> = {}): string | undefined {
  if (valueAt(nextPage?.more, document) === true) return nextPage?.more
  if (nextPageNamed(document, nextPage) !== undefined) return nextPage?.url ?? nextPage?.token
  const end = Number(valueAt(nextPage?.offset, document) ?? 0) + Object(valueAt(records, document)).length
  if (Number(valueAt(nextPage?.total, document)) > end) return nextPage?.total
  const members = Object(document) as Record<string, unknown>
  if (members.hasMore === true) return 'hasMore'
  if (members.has_more === true) return 'has_more'
  if (members.last_page === false) return 'last_page'
  return NEXT_PAGE.find((name) => {
    const value = members[name] ?? ''
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== '' && value !== false
  })
}
