import type { Table } from '../database/table.ts'
import { oneLine } from '../import/sources.ts'
import type { SyncCounts } from '../import/sync-records.ts'
import { formatCount } from '../lib/format-count.ts'
import { type Context, isoNow } from './context.ts'
import { ExitCode, messageOf } from './errors.ts'
import { areErrorsJson, printError, printMessage, sanitize } from './output.ts'
import { repeatUntilStopped } from './repeat.ts'
import { attemptSync, type SyncRequest } from './sync-attempt.ts'

const quietly = { onBadRecord() {}, onProgress() {}, onPhase() {}, onSize() {}, isBrief: true }

/**
 * Syncs again and again until it is stopped. A failure is one line, with the time. `show` is called for every sync, with
 * whether there is news: the first one, a change, or the first after a failure.
 */
export async function syncEvery(
  context: Context,
  table: Table,
  request: SyncRequest & { everySeconds: number },
  show: (counts: SyncCounts, isNews: boolean) => void,
): Promise<void> {
  const { source, workspace, everySeconds } = request
  let isNews = true
  await repeatUntilStopped(
    everySeconds * 1000,
    async (stopped) => {
      const counts = await attemptSync(context, table, request, quietly, stopped)
      show(counts, isNews || counts.created + counts.changed + counts.gone > 0)
      isNews = false
    },
    (error, waitMs) => {
      isNews = true
      const wait = Math.max(1, Math.round(waitMs / 1000))
      const next = `trying again in ${formatCount(wait)} second${wait === 1 ? '' : 's'}`
      const message = `${source} of ${workspace}: ${sanitize(oneLine(messageOf(error)))}; ${next}`
      if (areErrorsJson()) printError(message, ExitCode.failure, { at: isoNow() })
      else printMessage(`${isoNow()} vitrine: ${message}`)
    },
  )
}
