import { hash } from 'node:crypto'
import type { Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { eitherSignal } from '../lib/either-signal.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { version } from '../version.ts'
import type { Credentials } from './credentials.ts'
import { fetchSnapshot, nextUrl, type Validators } from './fetch-snapshot.ts'
import type { Input } from './frame.ts'
import { extentOf, nextPageOf } from './next-page.ts'
import { FETCH_LIMITS, FetchError } from './response-body.ts'
import { type Attempt, listSources, recordNotModified, revisionOf, type SnapshotDetails } from './sources.ts'
import type { Load } from './staged-records.ts'
import { type SyncCounts, type SyncOptions, syncRecords } from './sync-records.ts'

interface UrlSync extends SyncOptions {
  url: URL
  credentials: Credentials
  signal?: AbortSignal | undefined
}

/** Skips the snapshot if neither it nor the workspace has changed since the last sync. */
export async function syncUrl(load: Load, options: UrlSync): Promise<SyncCounts> {
  const { store, table, clock } = load
  const fingerprint = fingerprintOf(options)
  const known = options.dryRun ? undefined : await store.read((tx) => lastSnapshot(tx, table, options, fingerprint))
  const snapshot: SnapshotDetails = { fingerprint }
  // Fetched under the lock, when the first chunk is read: an older response could undo a newer sync.
  const page = firstPage(options, known, snapshot)
  try {
    return await syncRecords(load, { ...options, snapshot }, page)
  } catch (error) {
    if (!(error instanceof NotModifiedError)) throw error
    await recordNotModified(store, table, options, clock())
    return { created: 0, changed: 0, gone: 0, unchanged: known?.rowCount ?? 0 }
  }
}

class NotModifiedError extends Error {}

/** Undefined if it was fetched in another way, or the workspace has changed since then. */
async function lastSnapshot(tx: Transaction, { name: table }: Table, attempt: Attempt, fingerprint: string) {
  const { id } = await workspaceOrThrow(tx, attempt.workspace)
  const known = (await listSources(tx, id)).find(
    ({ tableName, name }) => tableName === table && name === attempt.source,
  )
  return known?.fingerprint === fingerprint && known.revision === (await revisionOf(tx, id)) ? known : undefined
}

/** Another version or map may read a snapshot differently. A change of timezone is a new revision. */
const fingerprintOf = ({ url, map }: UrlSync) => hash('sha256', JSON.stringify([version, url.href, map?.digest]))

/** More than any tracker has. A tracker that makes up pages reaches it, or the limits of bytes and time. */
const MAX_PAGES = 10_000

/** The first page of a snapshot, which leads to the others. All of them share the limits of one response. */
function firstPage(
  { url: first, map, credentials, signal }: UrlSync,
  validators: Validators | undefined,
  snapshot: SnapshotDetails,
): Input {
  const { graphql } = map?.file ?? {}
  const within = eitherSignal(signal, AbortSignal.timeout(FETCH_LIMITS.totalMs))
  const seen = new Set<string>()
  let bytes = 0
  // Credentials are never sent again once another origin chose the next page.
  let isTrusted = true

  function page(url: URL, variables = {}, expected?: { start: number; total: number }): Input {
    const body = graphql === undefined ? undefined : JSON.stringify({ query: graphql, variables })
    let linked: URL | undefined
    let final = url
    async function* chunks(): AsyncGenerator<Buffer> {
      const isFirst = seen.size === 0
      if (seen.size === seen.add(`${url.href} ${body}`).size)
        throw new FetchError(url, 'is named as the next page, but was already read')
      if (seen.size > MAX_PAGES) throw new FetchError(first, `has more than ${MAX_PAGES} pages, the limit`)
      isTrusted &&= url.origin === first.origin
      // Validators do not cover several pages, nor the response to a query.
      const isCovered = isFirst && body === undefined
      const known = isCovered ? validators : undefined
      const response = await fetchSnapshot(url, { body, credentials, isTrusted, validators: known, signal: within })
      if (response === 'not modified') throw new NotModifiedError()
      const { etag, lastModified } = isCovered ? response : { etag: null, lastModified: null }
      Object.assign(snapshot, { etag, lastModified })
      isTrusted &&= response.isTrusted
      linked = response.next
      final = response.url
      for await (const chunk of response.chunks) {
        bytes += chunk.length
        if (bytes > FETCH_LIMITS.bytes) throw new FetchError(first, 'the pages are larger than 1 GiB, the limit')
        yield chunk
      }
    }
    const following = (document: unknown): Input | undefined => {
      if (map === undefined) return linked && page(linked)
      const { start, total } = extentOf(document, map.file)
      // Records could be missed, and a sync would delete them: if one is deleted, all later ones move to an earlier offset.
      if (Number.isNaN(start)) throw new FetchError(url, `has no number at ${map.file.nextPage?.offset}`)
      if (expected !== undefined && start !== expected.start)
        throw new FetchError(url, `responds with the page after ${start} records, but ${expected.start} were read`)
      if (expected !== undefined && total !== expected.total)
        throw new FetchError(
          url,
          `now has ${total} records instead of ${expected.total}; they changed between two pages`,
        )
      if (linked !== undefined) return page(linked)
      const next = nextPageOf(document, map.file)
      if (next === undefined) return undefined
      if ('url' in next) return page(nextUrl(final, next.url))
      const { parameter, value } = next
      if (value === start) throw new FetchError(url, `has no records after ${start} of ${total}`)
      // Only an offset is a number.
      const position = typeof value === 'number' ? { start: value, total } : undefined
      if (graphql !== undefined) return page(url, { [parameter]: value }, position)
      const withParameter = new URL(url)
      withParameter.searchParams.set(parameter, String(value))
      return page(withParameter, {}, position)
    }
    return { [Symbol.asyncIterator]: chunks, following, name: `page ${seen.size + 1}` }
  }

  return { ...page(first), name: undefined }
}
