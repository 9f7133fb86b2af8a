import { pointerFinder } from '../format/json-pointer.ts'
import type { MapFile } from '../map/schema.ts'

const valueAt = (pointer: string | undefined, document: unknown) =>
  pointer === undefined ? undefined : pointerFinder(pointer)(document)[0]

type NextPage = { url: string } | { parameter: string; value: string }

export function nextPageOf(document: unknown, { nextPage = {} }: Partial<MapFile>): NextPage | undefined {
  const { url, token, parameter = '', more } = nextPage
  if (more !== undefined && valueAt(more, document) !== true) return undefined
  const next = valueAt(url ?? token, document)
  if (!((typeof next === 'string' && next !== '') || typeof next === 'number')) return undefined
  return url === undefined ? { parameter, value: String(next) } : { url: String(next) }
}

const NEXT_PAGE = ['next', 'next_page', 'nextCursor', 'nextPageToken', '@odata.nextLink']

/** The member of an API's document that shows that there are more pages: the map's, or one at the top. */
export function nextPageIn(document: unknown, map: Partial<MapFile> = {}, isWhole = true): string | undefined {
  const { url, token, more, total } = map.nextPage ?? {}
  const hasMore = valueAt(more, document)
  if (hasMore === true) return more
  const records = Object(valueAt(map.records, document)) as { length: number }
  if (isWhole && Number(valueAt(total, document)) > records.length) return total
  if (nextPageOf(document, map) !== undefined) return url ?? token
  // Some APIs have a token on the last page too.
  if (hasMore === false) return undefined
  const members = Object(document) as Record<string, unknown>
  if (members.hasMore === true) return 'hasMore'
  if (members.last_page === false) return 'last_page'
  return NEXT_PAGE.find((name) => {
    const value = members[name] ?? ''
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== '' && value !== false
  })
}
