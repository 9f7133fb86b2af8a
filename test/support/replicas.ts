import type { Server } from 'node:http'
import type { TestContext } from 'node:test'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openOperatorStore, openPublicStore, openSettingsStore } from '../../src/database/open.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { Logger } from '../../src/lib/logger.ts'
import { resources } from '../../src/resources/index.ts'
import { atTime } from './at-time.ts'
import { listen } from './listen.ts'
import type { Service } from './service.ts'

export interface Replica {
  url: string
  server: Server
  store: PublicStore
}

/** Servers as they are run side by side: by the real clock, each with a store of its own over one database. */
export function startReplicas(t: TestContext, n: number, env: Record<string, string>): Promise<Replica[]> {
  return Promise.all(Array.from({ length: n }, () => startReplica(t, env)))
}

/** GET with a key; the wait is bounded, so that a server that hangs fails the test with a reason. */
export const getFrom = (replica: Pick<Replica, 'url'> | undefined, key: string, path = '/tasks'): Promise<Response> =>
  fetch(`${replica?.url}${path}`, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(120_000) })

/** By the store's own time, unless given a clock. */
export async function startReplica(
  t: TestContext,
  env: Record<string, string>,
  clock?: () => number,
  openSettings = openSettingsStore,
): Promise<Replica> {
  const config = readConfig(env)
  const time = clock === undefined ? {} : { clock }
  const store = await openPublicStore(config.database, resources, {
    defaultQuota: config.quota,
    ...time,
    onUseFailure: () => {},
  })
  const settingsStore = await openSettings(config.database, resources)
  const { server } = createApp(config, store, {
    log: new Logger({ write() {} }, 'silent'),
    settingsStore: settingsStore && clock ? atTime(settingsStore, clock) : settingsStore,
    ...time,
  })
  const port = await listen(server)
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await settingsStore?.close()
    await store.close()
  })
  return { url: `http://127.0.0.1:${port}`, server, store }
}

/** A second server over the database of the first, with its clock; the settings of both wait for each other as long as a busy machine takes. */
export const replicaOf = (
  t: TestContext,
  { databaseUrl, time }: Pick<Service, 'databaseUrl' | 'time'>,
  env: Record<string, string> = {},
) =>
  startReplica(
    t,
    { DATABASE_URL: databaseUrl, ...env },
    () => time.now,
    (database, resources) => openOperatorStore(database, resources, { create: false }),
  )
