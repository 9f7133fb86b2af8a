import type { OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import type { CredentialSettings } from '../import/credentials.ts'
import type { ImportListener } from '../import/import-records.ts'
import { type Attempt, oneLine, recordFailure } from '../import/sources.ts'
import { SourceBusyError, type SyncCounts, type SyncOptions, syncRecords } from '../import/sync-records.ts'
import { UserError } from '../lib/user-error.ts'
import { actor, type Context, isoNow } from './context.ts'
import { messageOf } from './errors.ts'
import { chunksOf, complaint } from './input-file.ts'

/** What to sync, and where it is. */
export interface SyncRequest extends SyncOptions, Attempt {
  /** As it was given: a file, or - for stdin. */
  file: string
  /** Instead of the file. */
  url: URL | undefined
  /** Reads them anew. */
  credentials: () => CredentialSettings
}

interface SyncListener extends ImportListener {
  /** Of bad records only the first is reported, with the error. */
  isBrief?: boolean
}

/** One sync over a database that is opened for it. If it fails, that is recorded with its source. */
export async function attemptSync(
  { withStore }: Context,
  table: Table,
  request: SyncRequest,
  listener: SyncListener,
  signal?: AbortSignal,
): Promise<SyncCounts> {
  let firstBad: string | undefined
  const watched: SyncListener = {
    ...listener,
    onBadRecord(place, problems) {
      firstBad ??= complaint(place, problems)
      listener.onBadRecord(place, problems)
    },
  }
  try {
    return await withStore((store) => sync(store, table, request, watched, signal))
  } catch (error) {
    const message = oneLine(firstBad === undefined ? messageOf(error) : `${messageOf(error)}; the first: ${firstBad}`)
    const isFailure = !request.dryRun && !signal?.aborted && !(error instanceof SourceBusyError)
    // Where the database is gone there is nothing to record it in.
    if (isFailure) await withStore((store) => recordFailure(store, table, request, message, isoNow())).catch(() => {})
    throw listener.isBrief && firstBad !== undefined ? new UserError(message, { cause: error }) : error
  }
}

async function sync(
  store: OperatorStore,
  table: Table,
  request: SyncRequest,
  listener: SyncListener,
  signal: AbortSignal | undefined,
): Promise<SyncCounts> {
  const { url, file, location, everySeconds } = request
  if (url === undefined) {
    const snapshot = { location, everySeconds }
    const chunks = untilStopped(chunksOf(file), signal)
    return syncRecords(store, table, { ...request, snapshot }, chunks, actor(), isoNow, listener)
  }
  const { toCredentials } = await import('../import/credentials.ts')
  const { syncUrl } = await import('../import/sync-url.ts')
  const credentials = toCredentials(request.credentials())
  return syncUrl(store, table, { ...request, url, credentials, signal }, actor(), isoNow, listener)
}

async function* untilStopped(chunks: AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    yield chunk
  }
}
