import { setTimeout as delay } from 'node:timers/promises'
import type { RecordListener } from '../../../import/parse-records.ts'
import { commandOutput } from '../../../import/snapshot/command-output.ts'
import { MAX_BACKOFF_MS } from '../../../import/source-state.ts'
import { oneLine, recordFailure } from '../../../import/sources.ts'
import { SourceBusyError, type SyncCounts, type SyncOptions, syncRecords } from '../../../import/sync-records.ts'
import { DAY_MS } from '../../../lib/duration.ts'
import { counted } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import type { List } from '../../../lists/definition.ts'
import { actor, type Context, isoNow } from '../../context.ts'
import { ExitCode, exitCodeOf, messageOf, UsageError } from '../../errors.ts'
import { badRecordMessage, firstFile } from '../../input-file.ts'
import { isJson, printError, printMessage, sanitize } from '../../terminal/output.ts'
import { parseDuration } from '../../terminal/usage.ts'

export interface SyncRequest extends Omit<SyncOptions, 'firstPart' | 'signal'> {
  location: string
  /** Paths, or - for stdin. Neither is used if there is a URL. */
  files: readonly string[]
  /** A command that prints the snapshot. */
  exec?: string | undefined
}

/** Without a listener, only the first bad record is reported, with the error. */
export async function attemptSync(
  { withStore, write }: Context,
  list: List,
  request: SyncRequest,
  listener?: RecordListener,
  stopped?: AbortSignal,
): Promise<SyncCounts> {
  let firstBad: string | undefined
  const onBadRecord: RecordListener['onBadRecord'] = (position, problems) => {
    firstBad ??= badRecordMessage(position, problems)
    listener?.onBadRecord(position, problems)
  }
  const { files, exec } = request
  const firstPart = () => (exec === undefined ? firstFile(files, stopped) : { chunks: commandOutput(exec, stopped) })
  const options = { ...request, firstPart, signal: stopped }
  try {
    return await withStore((store) => syncRecords({ store, list, actor: actor(), ...listener, onBadRecord }, options))
  } catch (error) {
    const message = oneLine(firstBad === undefined ? messageOf(error) : `${messageOf(error)}; the first: ${firstBad}`)
    const isFailure = !request.dryRun && !stopped?.aborted && !(error instanceof SourceBusyError)
    // If the database is unavailable, the failure cannot be recorded.
    if (isFailure) await write((tx) => recordFailure(tx, list, request, message)).catch(() => {})
    throw listener === undefined && firstBad !== undefined ? new UserError(message, { cause: error }) : error
  }
}

/** A sync is news if it is the first, changes something, or follows a failure. */
export async function syncEvery(
  context: Context,
  list: List,
  request: SyncRequest & { everySeconds: number },
  show: (counts: SyncCounts, isNews: boolean) => void,
): Promise<void> {
  const { source, workspace, everySeconds } = request
  let isNews = true
  await repeatUntilStopped(
    everySeconds * 1000,
    async (stopped) => {
      const counts = await attemptSync(context, list, request, undefined, stopped)
      show(counts, isNews || counts.created + counts.changed + counts.gone > 0)
      isNews = false
    },
    (error, waitMs) => {
      isNews = true
      const wait = Math.max(1, Math.round(waitMs / 1000))
      const next = `trying again in ${counted(wait, 'second')}`
      const message = `${source} of ${workspace}: ${sanitize(oneLine(messageOf(error)))}; ${next}`
      if (isJson()) printError(message, ExitCode.failure, { at: isoNow() })
      else printMessage(`${isoNow()} vitrine: ${message}`)
    },
  )
}

const MIN_MS = 1000
/** Node.js timers cannot wait longer than 24 days. */
const MAX_MS = 7 * DAY_MS
/** Spreads the retries of syncs that failed together. */
const JITTER = 0.1

export function parseInterval(text: string, option: string): number {
  const ms = parseDuration(text, option)
  if (ms < MIN_MS || ms > MAX_MS) throw new UsageError(`${option}: must be from 1s to 7d, such as 5m`)
  return ms
}

/** Doubles the interval with each further failure, up to ten minutes. A longer interval is not changed. */
export function waitAfter(failures: number, everyMs: number, random: () => number = Math.random): number {
  if (failures === 0) return everyMs
  const wait = Math.min(everyMs * 2 ** (failures - 1), Math.max(everyMs, MAX_BACKOFF_MS))
  return Math.round(wait * (1 - JITTER * random()))
}

/** An overloaded server sends Retry-After. */
const askedToWait = (error: unknown): number => {
  const { retryAfterMs, cause } = Object(error) as { retryAfterMs?: number; cause?: unknown }
  return retryAfterMs ?? (cause === undefined ? 0 : askedToWait(cause))
}

/** The first SIGTERM or SIGINT ends the attempt cleanly; a second one ends the program. Usage errors are not retried. */
export async function repeatUntilStopped(
  everyMs: number,
  attempt: (stopped: AbortSignal) => Promise<void>,
  onFailure: (error: unknown, waitMs: number) => void,
): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    stop.abort()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  try {
    let failures = 0
    while (!stop.signal.aborted) {
      const error = await attempt(stop.signal).catch((reason: unknown) => reason)
      if (stop.signal.aborted) return
      failures = error === undefined ? 0 : failures + 1
      const waitMs = Math.max(waitAfter(failures, everyMs), Math.min(askedToWait(error), MAX_MS))
      if (error !== undefined) {
        if (exitCodeOf(error) === ExitCode.usage) throw error
        onFailure(error, waitMs)
      }
      await delay(waitMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  } finally {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
  }
}
