import { countBytes } from '../../lib/chunks.ts'
import type { InputPart } from '../format/frame.ts'
import type { RecordMap } from '../map/load-map.ts'
import type { Credentials } from './credentials.ts'
import { fetchSnapshot, type Snapshot, type SnapshotOptions, urlLedTo } from './fetch.ts'
import { extentOf, nextPageOf } from './next-page.ts'
import { FETCH_LIMITS, FetchError, failureOf } from './response-body.ts'

export interface UrlOptions {
  /** Read again for every attempt. */
  credentials?(): Credentials
  signal?: AbortSignal | undefined
  map?: RecordMap | undefined
}

export async function openUrl(url: URL, { map, ...options }: UrlOptions): Promise<InputPart> {
  const credentials = options.credentials?.() ?? {}
  const tooSlow = AbortSignal.timeout(FETCH_LIMITS.totalMs)
  // As the only source of AbortSignal.any, a timeout could be collected before it fires.
  const signal = options.signal === undefined ? tooSlow : AbortSignal.any([options.signal, tooSlow])
  const request = requestOf(map, url)
  const response = await fetchSnapshot(url, { body: request.body, credentials, signal })
  return firstPage(response, request, map, { credentials, signal })
}

interface SnapshotRequest {
  url: URL
  body: string | undefined
  /** What the page must report of itself, if the one before led to it by a number of records. */
  expected?: { start: number; total: number } | undefined
}

function requestOf(map: RecordMap | undefined, url: URL, variables = {}): SnapshotRequest {
  const { graphql } = map?.file ?? {}
  return { url, body: graphql === undefined ? undefined : JSON.stringify({ query: graphql, variables }) }
}

/** More than any tracker has. A tracker that makes up pages reaches it, or the limits of bytes and time. */
const MAX_PAGES = 10_000

/** All pages share the limits of one response. */
function firstPage(
  first: Snapshot,
  firstRequest: SnapshotRequest,
  map: RecordMap | undefined,
  options: Pick<SnapshotOptions, 'credentials' | 'signal'>,
): InputPart {
  const { url } = firstRequest
  const seen = new Set<string>()
  let bytes = 0
  const onBytes = (length: number) => {
    bytes += length
    if (bytes > FETCH_LIMITS.bytes) throw new FetchError(url, 'the pages are larger than 1 GiB, the limit')
  }
  const pageOf = (request: SnapshotRequest, response: Snapshot): InputPart => {
    seen.add(`${request.url.href} ${request.body}`)
    const name = seen.size === 1 ? undefined : `page ${seen.size}`
    const nextName = `page ${seen.size + 1}`
    const chunks = countBytes(response.chunks, onBytes)
    const nextBy = (document: unknown) => nextRequest(request, response, document, map)
    return {
      chunks: name === undefined ? chunks : failingAs(name, chunks),
      name,
      hasNext: (document) => response.next !== undefined || (document !== undefined && nextBy(document) !== undefined),
      async next(document) {
        const next = nextBy(document)
        if (next === undefined) return undefined
        const fetched = await fetchNext(next, response).catch((error) => {
          throw failureOf(nextName, error)
        })
        return pageOf(next, fetched)
      },
    }
  }
  const fetchNext = async (next: SnapshotRequest, before: Snapshot) => {
    if (seen.has(`${next.url.href} ${next.body}`))
      throw new FetchError(next.url, 'is named as the next page, but was already read')
    if (seen.size === MAX_PAGES) throw new FetchError(url, `has more than ${MAX_PAGES} pages, the limit`)
    // Credentials are never sent again once another origin chose the next page.
    const isTrusted = before.isTrusted && next.url.origin === url.origin
    return fetchSnapshot(next.url, { ...options, body: next.body, isTrusted })
  }
  return pageOf(firstRequest, first)
}

async function* failingAs(page: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    throw failureOf(page, error)
  }
}

function nextRequest(request: SnapshotRequest, response: Snapshot, document: unknown, map: RecordMap | undefined) {
  const { url, expected } = request
  const { next: linked } = response
  if (map === undefined) return linked && requestOf(map, linked)
  const { start, total } = extentOf(document, map.file)
  // Records could be missed, and a sync would delete them: if one is deleted, all later ones move to an earlier offset.
  if (expected !== undefined && start !== expected.start)
    throw new FetchError(url, `responds with the page after ${start} records, but ${expected.start} were read`)
  if (expected !== undefined && total !== expected.total)
    throw new FetchError(url, `now has ${total} records instead of ${expected.total}; they changed between two pages`)
  if (linked !== undefined) return requestOf(map, linked)
  const next = nextPageOf(document, map.file)
  if (next === undefined) return undefined
  if ('url' in next) return requestOf(map, urlLedTo(response.url, next.url))
  const { parameter, value } = next
  if (value === start) throw new FetchError(url, `has no records after ${start} of ${total}`)
  // Only an offset is a number.
  const position = typeof value === 'number' ? { start: value, total } : undefined
  if (map.file.graphql !== undefined) return { ...requestOf(map, url, { [parameter]: value }), expected: position }
  const withParameter = new URL(url)
  withParameter.searchParams.set(parameter, String(value))
  return { ...requestOf(map, withParameter), expected: position }
}
