import { hash } from 'node:crypto'
import type { Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { version } from '../version.ts'
import type { Credentials } from './credentials.ts'
import type { RecordMap } from './map/load-map.ts'
import { firstPage } from './pages.ts'
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
  const { url, map, credentials, signal } = options
  const question = questionOf(url, map)
  const known = options.dryRun ? undefined : await store.read((tx) => lastSnapshot(tx, table, options, question))
  const snapshot: SnapshotDetails = { question }
  // Fetched under the lock, when the first chunk is read: an older response could undo a newer sync.
  const page = firstPage(url, {
    ...{ map, credentials, signal, validators: known },
    onResponse(response, isFirst) {
      if (response === 'not modified') throw new NotModifiedError()
      // Validators do not cover several pages, nor the response to a query.
      const isCovered = isFirst && map?.file.graphql === undefined
      const { etag, lastModified } = isCovered ? response : { etag: null, lastModified: null }
      Object.assign(snapshot, { etag, lastModified })
    },
  })
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
async function lastSnapshot(tx: Transaction, { name: table }: Table, attempt: Attempt, question: string) {
  const { id } = await workspaceOrThrow(tx, attempt.workspace)
  const known = (await listSources(tx, id)).find(
    ({ tableName, name }) => tableName === table && name === attempt.source,
  )
  return known?.question === question && known.revision === (await revisionOf(tx, id)) ? known : undefined
}

/** Another version or map may read a snapshot differently. A change of timezone is a new revision. */
const questionOf = (url: URL, map: RecordMap | undefined): string =>
  hash('sha256', JSON.stringify([version, url.href, map?.digest]))
