import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { assembleApp } from '../app.ts'
import type { Config } from '../config.ts'
import { openPublicStore, openSettingsStore } from '../database/open.ts'
import type { OperatorStore, Windows } from '../database/store.ts'
import { describeFailure } from '../http/logging.ts'
import type { Occupancy } from '../lib/occupancy.ts'
import type { Collect } from '../metrics/collect.ts'
import type { Resource } from '../resources/define.ts'

interface Parts {
  log: Logger
  /** How much of the log is not written yet. */
  unwritten: () => Occupancy
  resources: readonly Resource[]
  /** Shared quota counts, with several threads. */
  windows?: Windows
  /** Of several threads, only the primary logs what is true for all of them. */
  isPrimary?: boolean
}

/**
 * Assembles a server over the database, and closes it after `use`, which returns the milliseconds left for writing the
 * last records. It is given what collects the metrics of this thread, if there are any.
 */
export async function withServer(
  config: Config,
  { log, unwritten, resources, windows, isPrimary = true }: Parts,
  use: (server: Server, collect: Collect | undefined) => Promise<number>,
): Promise<void> {
  const logFailure = (message: string) => (error: unknown) => log.error({ failure: describeFailure(error) }, message)
  const store = await openPublicStore(config.database, resources, {
    windows,
    onUseFailure: logFailure('use records could not be written; they are kept and tried again'),
    onDatabaseLost: (fault) => {
      if (!isPrimary) return
      if (fault === undefined) log.info('the database file is back; requests are answered again')
      else log.fatal(`${fault.message}; requests get 500 until the server is restarted, or the same file is back`)
    },
    onLeftInLog: (message) => {
      if (isPrimary) log.warn(message)
    },
    onLost: ({ uses, keys, incidents, cause }) =>
      log.error(
        { ...(cause !== undefined && { failure: describeFailure(cause) }) },
        `records are lost: ${uses} uses of ${keys} keys and ${incidents} refusals could not be written before the stop, ` +
          (cause === undefined ? 'another process held the write lock' : 'the database failed'),
      ),
    onBackgroundFailure: logFailure('rows could not be marked in the background; lists may be slow until they are'),
  })
  let settingsStore: OperatorStore | undefined
  let lastWriteMs: number | undefined
  try {
    settingsStore = await openSettingsStore(config.database, resources)
    if (settingsStore === undefined && isPrimary)
      log.warn(
        'the settings page is off: the role in DATABASE_URL lacks privileges of docs/sql/settings-writes.sql; see docs/postgresql.md',
      )
    // It serves anyway: once the cause is fixed, no restart is needed.
    if (isPrimary) await store.ping().catch(logFailure('not ready: requests fail until this is fixed'))
    // Loaded and counted only if somebody asked for it.
    const metrics = config.metricsPort === undefined ? undefined : await import('../metrics/thread-metrics.ts')
    const measured = metrics?.measureThread(store)
    const options = { log, resources, settingsStore, windows, observer: measured?.observer }
    const { server, figures } = assembleApp(config, measured?.store ?? store, options)
    const stores = settingsStore === undefined ? [store] : [store, settingsStore]
    const collect = measured && (() => measured.collect({ app: figures(), stores, log: unwritten(), isPrimary }))
    lastWriteMs = await use(server, collect)
  } finally {
    await settingsStore?.close()
    await store.close(lastWriteMs)
  }
}
