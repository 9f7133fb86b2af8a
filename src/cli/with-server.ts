import type { Logger } from 'pino'
import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { StorageError } from '../database/errors.ts'
import { openPublicStore, openSettingsStore } from '../database/open.ts'
import { explainDifferences, isServable } from '../database/schema-difference.ts'
import type { Differences, OperatorStore } from '../database/store.ts'
import type { Windows } from '../database/windows.ts'
import { describeFailure } from '../http/logging.ts'
import type { HttpServer } from '../http/server.ts'
import type { RetentionTimer } from '../keys/retention-timer.ts'
import { DAY_MS } from '../lib/duration.ts'
import { logLine } from '../log-lines.ts'
import type { Collect } from '../metrics/collect.ts'
import { publishedOf, type Resource } from '../resources/define.ts'
import type { LogStats } from './line-sink.ts'

interface Parts {
  log: Logger
  logStats: () => LogStats
  resources: readonly Resource[]
  windows?: Windows
  /** Only the primary thread logs events that concern all threads. */
  isPrimary?: boolean
}

/** `use` returns the milliseconds left for writing the last records. */
export async function withServer(
  config: Config,
  { log, logStats, resources, windows, isPrimary = true }: Parts,
  use: (server: HttpServer, collect: Collect | undefined) => Promise<number>,
): Promise<void> {
  const logFailure = (name: FailureName) => (error: unknown) => logLine(log, name, { failure: describeFailure(error) })
  const store = await openPublicStore(config.database, resources, {
    windows,
    onUseFailure: logFailure('useNotWritten'),
    onDifferences: isPrimary ? (differences) => reportDifferences(differences, log) : undefined,
    onDatabaseLost: (fault) => {
      if (!isPrimary) return
      if (fault === undefined) logLine(log, 'databaseBack', {})
      else logLine(log, 'databaseLost', {}, { reason: fault.message })
    },
    onLeftInLog: () => {
      if (isPrimary) logLine(log, 'leftInLog', {})
    },
    onLost: ({ uses, keys, incidents, cause }) => {
      const failure = cause === undefined ? {} : { failure: describeFailure(cause) }
      const reason = cause === undefined ? 'another process held the write lock' : 'the database failed'
      logLine(log, 'recordsLost', failure, { uses, keys, incidents, reason })
    },
    onBackgroundFailure: logFailure('rowsNotMarked'),
  })
  let settingsStore: OperatorStore | undefined
  let retention: RetentionTimer | undefined
  let lastWriteMs: number | undefined
  try {
    settingsStore = await openSettingsStore(config.database, resources)
    if (settingsStore === undefined && isPrimary) logLine(log, 'settingsOff', {})
    // The server starts anyway, so that no restart is needed once the cause is fixed.
    if (isPrimary) await store.ping().catch(logFailure('notReadyAtStart'))
    if (isPrimary) retention = await startRetention(config, settingsStore, log)
    const metrics = config.metricsPort === undefined ? undefined : await import('../metrics/thread-metrics.ts')
    const measured = metrics?.measureThread(store, {
      canConnect: settingsStore !== undefined && config.connect !== undefined,
    })
    const options = { log, resources: publishedOf(resources), settingsStore, windows, observer: measured?.observer }
    const { server, stats } = createApp(config, measured?.store ?? store, options)
    const stores = settingsStore === undefined ? [store] : [store, settingsStore]
    const collect = measured && (() => measured.collect({ app: stats(), stores, log: logStats(), isPrimary }))
    lastWriteMs = await use(server, collect)
  } finally {
    await retention?.stop()
    await settingsStore?.close()
    await store.close(lastWriteMs)
  }
}

/** Differences that only slow the server down, or grant other roles too much, do not stop it. */
function reportDifferences({ schema, definitions }: Differences, log: Logger): void {
  for (const { resource, members, reason } of definitions)
    logLine(log, 'definitionDiffers', { resource, members }, { resource, reason })
  if (schema.length === 0) return
  const reason = explainDifferences(schema)
  if (!schema.every(isServable)) throw new StorageError(`the database's schema was changed: ${reason}`)
  logLine(log, 'schemaChanged', {}, { reason })
}

type FailureName = 'useNotWritten' | 'rowsNotMarked' | 'notReadyAtStart'

async function startRetention(
  { auditRetentionMs, keyRetentionMs }: Config,
  store: OperatorStore | undefined,
  log: Logger,
): Promise<RetentionTimer | undefined> {
  if (auditRetentionMs === 0 && keyRetentionMs === 0) return undefined
  if (store === undefined) {
    logLine(log, 'retentionOff', {})
    return undefined
  }
  const { RetentionTimer } = await import('../keys/retention-timer.ts')
  return new RetentionTimer(
    store,
    { auditRetentionMs, keyRetentionMs },
    {
      onPruned({ workspaceId, removed, through, fault }) {
        if (removed > 0) logLine(log, 'auditPruned', { workspaceId, removed, through })
        if (fault !== null) logLine(log, 'auditBroken', { workspaceId, entry: fault.number })
      },
      onPurged: (purged) => logLine(log, 'keysPurged', { ...purged }),
      onClockAhead: ({ ms, aheadMs }) =>
        logLine(log, 'clockAhead', {}, { days: Math.floor(aheadMs / DAY_MS), seen: new Date(ms).toISOString() }),
      onFailure: (what, error) =>
        logLine(log, what === 'keyRetentionMs' ? 'keysNotPurged' : 'auditNotPruned', {
          failure: describeFailure(error),
        }),
    },
  )
}
