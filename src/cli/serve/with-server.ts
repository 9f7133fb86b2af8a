import type { Logger } from 'pino'
import { createApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import { StorageError } from '../../database/errors.ts'
import { openPublicStore, openSettingsStore } from '../../database/open.ts'
import type { RateWindows } from '../../database/rate-windows.ts'
import type { Differences, OperatorStore } from '../../database/store.ts'
import { tablesOf } from '../../database/table.ts'
import { explainDifferences, isServable } from '../../database/tables/schema-difference.ts'
import type { HttpServer } from '../../http/server.ts'
import { logLine } from '../../log-lines.ts'
import type { Collect } from '../../metrics/collect.ts'
import type { HealthMetrics } from '../../metrics/health-metrics.ts'
import type { NoticeTimer } from '../../notices/timer.ts'
import { publishedOf, type Resource } from '../../resources/define.ts'
import type { LogStats } from './line-sink.ts'

interface Parts {
  log: Logger
  logStats: () => LogStats
  resources: readonly Resource[]
  rateWindows?: RateWindows
  /** Only the primary thread logs events that concern all threads. */
  isPrimary?: boolean
}

/** `use` returns the milliseconds left for writing the last records. */
export async function withServer(
  config: Config,
  { log, logStats, resources, rateWindows, isPrimary = true }: Parts,
  use: (server: HttpServer, collect: Collect | undefined) => Promise<number>,
): Promise<void> {
  const failures = Object.fromEntries(Object.values(TASKS).map((task) => [task, 0]))
  const logFailure = (name: FailureName) => (error: unknown) => {
    if (name !== 'notReadyAtStart') failures[TASKS[name]] = (failures[TASKS[name]] ?? 0) + 1
    logLine(log, name, { failure: error })
  }
  let differenceCount = 0
  const store = await openPublicStore(config.database, resources, {
    defaultQuota: config.quota,
    rateWindows,
    onUseFailure: logFailure('useNotWritten'),
    onDifferences: isPrimary
      ? (differences) => {
          differenceCount = differences.schema.length
          reportDifferences(differences, log)
        }
      : undefined,
    onDatabaseLost: (fault) => {
      if (!isPrimary) return
      if (fault === undefined) logLine(log, 'databaseBack', {})
      else logLine(log, 'databaseLost', {}, { reason: fault.message })
    },
    onLeftInLog: () => {
      if (isPrimary) logLine(log, 'leftInLog', {})
    },
    onLost: ({ uses, keys, incidents, cause }) => {
      const failure = cause === undefined ? {} : { failure: cause }
      const reason = cause === undefined ? 'another process held the write lock' : 'the database failed'
      logLine(log, 'recordsLost', failure, { uses, keys, incidents, reason })
    },
    onBackgroundFailure: logFailure('rowsNotMarked'),
  })
  // A lost database has its own line.
  const logUnlessLost = (name: FailureName) => (error: unknown) => {
    try {
      store.check()
    } catch {
      return
    }
    logFailure(name)(error)
  }
  const background: { stop(): Promise<void> }[] = []
  let settingsStore: OperatorStore | undefined
  let lastWriteMs: number | undefined
  try {
    let notices: NoticeTimer | undefined
    let health: HealthMetrics | undefined
    settingsStore = await openSettingsStore(config.database, resources)
    const metrics = config.metricsPort === undefined ? undefined : await import('../../metrics/thread-metrics.ts')
    // The server starts anyway, so that no restart is needed once the cause is fixed.
    if (isPrimary) await store.ping().catch(logFailure('notReadyAtStart'))
    // A replica whose role may not write leaves this to the others.
    if (isPrimary && settingsStore === undefined) {
      logLine(log, 'settingsOff', {})
      if (config.auditRetentionMs + config.keyRetentionMs + config.callerRetentionMs > 0)
        logLine(log, 'retentionOff', {})
    } else if (isPrimary && settingsStore !== undefined) {
      const { startRetention } = await import('./start-retention.ts')
      background.push(startRetention(settingsStore, config, log, logFailure))
      const { startNotices } = await import('../../notices/timer.ts')
      const { publicUrl, mail, webhookPrivate } = config
      const webhook = { allowPrivate: webhookPrivate }
      notices = startNotices(settingsStore, { publicUrl, mail, webhook, onFailure: logUnlessLost('noticesFailed') })
      background.push(notices)
      if (metrics !== undefined) {
        const { startHealthMetrics } = await import('../../metrics/health-metrics.ts')
        const schema = { tables: tablesOf(resources), differences: () => differenceCount }
        health = startHealthMetrics(settingsStore, schema, logUnlessLost('metricsNotMeasured'))
        background.push(health)
      }
    }
    const canConnect = settingsStore !== undefined && config.connect !== undefined
    const measured = metrics?.measureThread(store, { canConnect })
    const options = { log, resources: publishedOf(resources), settingsStore, rateWindows, observer: measured?.observer }
    const { server, stats } = createApp(config, measured?.store ?? store, options)
    const stores = settingsStore === undefined ? [store] : [store, settingsStore]
    const collect =
      measured &&
      (() => {
        const parts = { app: stats(), stores, log: logStats(), isPrimary, notices: notices?.stats }
        return measured.collect({ ...parts, failures, health })
      })
    lastWriteMs = await use(server, collect)
  } finally {
    await Promise.all(background.map((each) => each.stop()))
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

/** Failures of background work: each log line, with the task that metrics count it for. */
const TASKS = {
  useNotWritten: 'use_records',
  rowsNotMarked: 'row_marks',
  noticesFailed: 'notices',
  auditNotPruned: 'audit_retention',
  keysNotPurged: 'key_retention',
  callersNotForgotten: 'caller_retention',
  metricsNotMeasured: 'metrics',
} as const

type FailureName = keyof typeof TASKS | 'notReadyAtStart'
