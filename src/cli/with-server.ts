import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { openPublicStore, openSettingsStore } from '../database/open.ts'
import type { OperatorStore, Windows } from '../database/store.ts'
import { describeFailure } from '../http/failure-log.ts'
import type { Resource } from '../resources/define.ts'

interface Parts {
  log: Logger
  resources: readonly Resource[]
  /** Where requests are counted, if not in this thread alone. */
  windows?: Windows
  /** Others tell the log the same. */
  isBeside?: boolean
}

/**
 * Puts a server over the database together, has it used, and closes what was opened for it. `use` gives the time in
 * milliseconds that the last records may take to be written.
 */
export async function withServer(
  config: Config,
  { log, resources, windows, isBeside = false }: Parts,
  use: (server: Server) => Promise<number>,
): Promise<void> {
  const told = (words: string) => (error: unknown) => log.error({ failure: describeFailure(error) }, words)
  const store = await openPublicStore(config.database, resources, {
    windows,
    onUseFailure: told('use records could not be written; they are kept and tried again'),
    onDatabaseLost: (fault) => {
      if (isBeside) return
      if (fault === undefined) log.info('the database file is back; requests are answered again')
      else log.fatal(`${fault.message}; requests get 500 until the server is restarted, or the same file is back`)
    },
    onLeftInLog: (message) => {
      if (!isBeside) log.warn(message)
    },
    onLost: ({ uses, keys, incidents, cause }) =>
      log.error(
        { ...(cause !== undefined && { failure: describeFailure(cause) }) },
        `records are lost: ${uses} uses of ${keys} keys and ${incidents} refusals could not be written before the stop, ` +
          (cause === undefined ? 'another process held the write lock' : 'the database failed'),
      ),
    onBackgroundFailure: told('rows could not be marked in the background; lists may be slow until they are'),
  })
  let settingsStore: OperatorStore | undefined
  let lastWriteMs: number | undefined
  try {
    settingsStore = await openSettingsStore(config.database, resources)
    if (settingsStore === undefined && !isBeside)
      log.warn('the settings page is off: the role in DATABASE_URL may not make keys; see docs/postgresql.md')
    // It serves all the same: whoever can fix it need not start it again.
    if (!isBeside) await store.ping().catch(told('not ready: requests fail until this is fixed'))
    lastWriteMs = await use(createApp(config, store, { log, resources, settingsStore, windows }))
  } finally {
    await settingsStore?.close()
    await store.close(lastWriteMs)
  }
}
