import { hash } from 'node:crypto'
import type { OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { version } from '../version.ts'
import type { Credentials } from './credentials.ts'
import type { ImportListener } from './import-records.ts'
import type { RecordMap } from './map/load-map.ts'
import { openSnapshot } from './snapshot.ts'
import { type Attempt, recordNotModified } from './source-attempts.ts'
import { findSource, revisionOf, type Source } from './sources.ts'
import { type SyncCounts, type SyncOptions, syncRecords } from './sync-records.ts'

export interface UrlSync extends SyncOptions, Attempt {
  url: URL
  credentials: Credentials
  signal?: AbortSignal | undefined
  onSize(sizeBytes: number): void
}

/** Syncs what a URL names. If that is what was synced last, and nothing has changed since, it is not even read. */
export async function syncUrl(
  store: OperatorStore,
  table: Table,
  options: UrlSync,
  actor: string,
  clock: () => string,
  listener: ImportListener,
): Promise<SyncCounts> {
  const { url, map, credentials, signal, location, everySeconds } = options
  const question = questionOf(url, map)
  const known = options.dryRun ? undefined : await lastSnapshot(store, table, options, question)
  const snapshot = await openSnapshot(url, {
    credentials,
    ...(signal !== undefined && { signal }),
    ...(known !== undefined && { validators: known }),
  })
  if (snapshot === 'not modified') {
    await store.transaction(async (tx) => {
      const { id } = await workspaceOrThrow(tx, options.workspace)
      await recordNotModified(tx, id, table, options, clock())
    })
    return { created: 0, changed: 0, gone: 0, unchanged: known?.rowCount ?? 0 }
  }
  try {
    const { chunks, sizeBytes, etag, lastModified } = snapshot
    if (sizeBytes !== undefined) options.onSize(sizeBytes)
    const details = { location, everySeconds, etag, lastModified, question }
    return await syncRecords(store, table, { ...options, snapshot: details }, chunks, actor, clock, listener)
  } finally {
    snapshot.close()
  }
}

/** What was synced last, if it was the answer to the same question and nobody has changed the workspace since. */
function lastSnapshot(
  store: OperatorStore,
  table: Table,
  { workspace, source }: Attempt,
  question: string,
): Promise<Source | undefined> {
  return store.read(async (tx) => {
    const { id } = await workspaceOrThrow(tx, workspace)
    const known = await findSource(tx, id, table.name, source)
    const isCurrent = known?.question === question && known.revision === (await revisionOf(tx, id))
    return isCurrent ? known : undefined
  })
}

/** Another version, or another map, may read the same snapshot in another way. Another timezone is another revision. */
const questionOf = (url: URL, map: RecordMap | undefined): string =>
  hash('sha256', JSON.stringify([version, url.href, map?.digest]))
