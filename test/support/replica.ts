import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openPublicStore, openSettingsStore } from '../../src/storage/open.ts'
import type { Service } from './service.ts'

/** A second server over the database of the first, as after a restart or beside it; both share the settable clock. */
export async function startReplica(
  t: TestContext,
  { databaseUrl, time }: Pick<Service, 'databaseUrl' | 'time'>,
  env: Record<string, string> = {},
) {
  const config = readConfig({ DATABASE_URL: databaseUrl, ...env })
  const log = pino({ level: 'silent' })
  const store = await openPublicStore(config.database, {
    clock: () => time.now,
    onUseFailure: (error) => log.error(error),
  })
  const settingsStore = await openSettingsStore(config.database)
  const server = createApp(config, store, { log, settingsStore, clock: () => time.now })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await settingsStore?.close()
    await store.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
