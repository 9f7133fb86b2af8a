import { setTimeout as delay } from 'node:timers/promises'
import { pruneAudit, retentionTime } from '../../audit/retention.ts'
import type { Config } from '../../config.ts'
import type { OperatorStore } from '../../database/store.ts'
import { purgeKeys } from '../../keys/purge.ts'
import { removeOldRequests } from '../../keys/request-log.ts'
import { DAY_MS } from '../../lib/duration.ts'
import type { Logger } from '../../lib/logger.ts'
import { logLine } from '../../log-lines.ts'

/** Lets the server start serving requests first. */
const FIRST_AFTER_MS = 1000
/** Each removal writes an audit entry, so each workspace gets at most one a day. */
const EVERY_MS = DAY_MS
const MIN_PAUSE_MS = 5

type FailureName = 'auditNotPruned' | 'keysNotPurged'

/** A retention of 0 means forever. */
export function startRetention(
  store: OperatorStore,
  { auditRetentionMs, keyRetentionMs }: Config,
  log: Logger,
  logFailure: (name: FailureName) => (error: unknown) => void,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => {})
  // Leaves as much time for other work.
  const pace = { pause: (tookMs: number) => rest(Math.max(MIN_PAUSE_MS, tookMs)), isStopped: () => signal.aborted }

  async function attempt(ageMs: number, failure: FailureName, remove: (before: number) => Promise<void>) {
    if (ageMs === 0 || signal.aborted) return
    try {
      await remove((await store.read(retentionTime)) - ageMs)
    } catch (error) {
      logFailure(failure)(error)
    }
  }

  async function run() {
    for (await rest(FIRST_AFTER_MS); !signal.aborted; await rest(EVERY_MS)) {
      // A server's role on PostgreSQL may lack the right to delete. The log's readers leave old requests out.
      await removeOldRequests(store, pace).catch(() => {})
      await attempt(auditRetentionMs, 'auditNotPruned', async (before) => {
        const pruned = await pruneAudit(store, before, pace.isStopped)
        for (const { workspaceId, removed, through, fault } of pruned) {
          if (removed > 0) logLine(log, 'auditPruned', { workspaceId, removed, through })
          if (fault !== null) logLine(log, 'auditBroken', { workspaceId, entry: fault.number })
        }
      })
      await attempt(keyRetentionMs, 'keysNotPurged', async (before) => {
        for (const purged of await purgeKeys(store, before, 'retention')) logLine(log, 'keysPurged', { ...purged })
      })
    }
  }

  const running = run()
  return {
    /** Resolves when the current batch is written. The next run removes the rest. */
    async stop() {
      stopping.abort()
      await running
    },
  }
}
