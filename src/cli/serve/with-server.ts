import { createApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import { StorageError } from '../../database/errors.ts'
import { openPublicStore, openSettingsStore } from '../../database/open.ts'
import type { Differences, OperatorStore } from '../../database/store.ts'
import { explainDifferences, isServable } from '../../database/tables/schema-difference.ts'
import type { LostRecords } from '../../database/usage/request-recorder.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Logger } from '../../lib/logger.ts'
import { SourceUnavailable } from '../../lists/in-place/unavailable.ts'
import { logLine, logUnavailable } from '../../log-lines.ts'
import type { Collect } from '../../metrics/collect.ts'
import type { CheckedSchema } from '../../metrics/health-metrics.ts'
import { publishedOf, type Resource } from '../../resources/define.ts'
import { rowsInWords } from '../rows-in-words.ts'
import type { LogStats } from './logger.ts'

interface Parts {
  log: Logger
  logStats: () => LogStats
  resources: readonly Resource[]
}

/** `use` returns the milliseconds left for writing the last records. */
export async function withServer(
  config: Config,
  { log, logStats, resources }: Parts,
  use: (server: HttpServer, collect: Collect | undefined) => Promise<number>,
): Promise<void> {
  const failures = Object.fromEntries(Object.values(TASKS).map((task) => [task, 0])) as Record<Task, number>
  const logFailure: LogFailure = (name) => (error) => {
    failures[TASKS[name]]++
    logLine(log, name, { failure: error })
  }
  for (const { name: resource, replaces = [] } of resources)
    for (const replaced of replaces) logLine(log, 'builtInOff', { resource }, { resource, replaced })
  await examineTables(resources, log)
  const schema = { resources, differences: 0 }
  const store = await openPublicStore(config.database, resources, {
    defaultQuota: config.quota,
    onUseFailure: logFailure('useNotWritten'),
    onLost: (lost) => logLost(lost, log),
    onMigrated({ from = 0, rows }) {
      if (rows !== undefined) logLine(log, 'upgraded', {}, { from, rows: rowsInWords(rows) })
    },
    onDifferences(differences) {
      schema.differences = differences.schema.length
      logDifferences(differences, log)
    },
  })
  let settingsStore: OperatorStore | undefined
  let background: Awaited<ReturnType<typeof startBackgroundWork>> | undefined
  let lastWriteMs: number | undefined
  try {
    settingsStore = await openSettingsStore(config.database, resources, logFailure('auditNotWritten'))
    const metrics = config.metricsPort === undefined ? undefined : await import('../../metrics/server-metrics.ts')
    // The server starts anyway, so that no restart is needed once the cause is fixed.
    await store.ping().catch((error) => logLine(log, 'notReadyAtStart', { failure: error }))
    // A replica whose role may not write leaves this to the others.
    if (settingsStore === undefined) logOff(config, log)
    else background = await startBackgroundWork(settingsStore, config, { log, logFailure, schema })
    const canConnect = settingsStore !== undefined && config.connect !== undefined
    const measured = metrics?.measureServer(store, { canConnect })
    const options = { log, resources: publishedOf(resources), settingsStore, observer: measured?.observer }
    const { server, stats } = createApp(config, store, options)
    const stores = settingsStore === undefined ? [store] : [store, settingsStore]
    const { notices, health } = background ?? {}
    const collect =
      measured &&
      (() => measured.collect({ app: stats(), stores, log: logStats(), notices: notices?.stats, failures, health }))
    lastWriteMs = await use(server, collect)
  } finally {
    await background?.stop()
    await settingsStore?.close()
    await store.close(lastWriteMs)
  }
}

/** Everything is loaded before anything starts, so that a failed import leaves nothing running. */
async function startBackgroundWork(
  settingsStore: OperatorStore,
  config: Config,
  { log, logFailure, schema }: { log: Logger; logFailure: LogFailure; schema: CheckedSchema },
) {
  const { metricsPort, publicUrl, mail, webhookPrivate } = config
  const { startRetention } = await import('./start-retention.ts')
  const { startNotices } = await import('../../notices/timer.ts')
  const metrics = metricsPort === undefined ? undefined : await import('../../metrics/health-metrics.ts')
  const retention = startRetention(settingsStore, config, log, logFailure)
  const webhook = { allowPrivate: webhookPrivate }
  const notices = startNotices(settingsStore, { publicUrl, mail, webhook, onFailure: logFailure('noticesFailed') })
  const health = metrics?.startHealthMetrics(settingsStore, schema, logFailure('metricsNotMeasured'))
  const stop = () => Promise.all([retention.stop(), notices.stop(), health?.stop()])
  return { notices, health, stop }
}

/** The server starts anyway, unless a setting is missing or wrong: other lists can be read, and these can once their cause is fixed. */
async function examineTables(resources: readonly Resource[], log: Logger): Promise<void> {
  const examine = async ({ name, inPlace }: Resource) => {
    try {
      const [fault] = (await inPlace?.examine())?.faults ?? []
      if (fault !== undefined) logUnavailable(log, new SourceUnavailable(name, fault.problem, { field: fault.field }))
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      logUnavailable(log, new SourceUnavailable(name, error.message))
    }
  }
  await Promise.all(resources.map(examine))
}

/** Differences that only slow the server down, or grant other roles too much, do not stop it. */
function logDifferences({ schema, definitions }: Differences, log: Logger): void {
  for (const { resource, reason } of definitions) logLine(log, 'definitionDiffers', { resource }, { resource, reason })
  if (schema.length === 0) return
  const reason = explainDifferences(schema)
  if (!schema.every(isServable)) throw new StorageError(`the database's schema was changed: ${reason}`)
  logLine(log, 'schemaChanged', {}, { reason })
}

function logLost({ requests, cause }: LostRecords, log: Logger): void {
  const failure = cause === undefined ? {} : { failure: cause }
  const reason = cause === undefined ? 'another process held the write lock' : 'the database failed'
  logLine(log, 'recordsLost', failure, { requests, reason })
}

function logOff({ auditRetentionMs, keyRetentionMs }: Config, log: Logger): void {
  logLine(log, 'settingsOff', {})
  if (auditRetentionMs + keyRetentionMs > 0) logLine(log, 'retentionOff', {})
}

/** Failures of background work: each log line, with the task that metrics count it for. */
const TASKS = {
  useNotWritten: 'use_records',
  noticesFailed: 'notices',
  auditNotWritten: 'audit_log',
  auditNotPruned: 'audit_retention',
  keysNotPurged: 'key_retention',
  metricsNotMeasured: 'metrics',
} as const

type Task = (typeof TASKS)[keyof typeof TASKS]
type LogFailure = (name: keyof typeof TASKS) => (error: unknown) => void
