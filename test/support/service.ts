import type { TestContext } from 'node:test'
import { type AppOptions, createApp } from '../../src/app.ts'
import { newestEntries } from '../../src/audit/log.ts'
import { listen } from '../../src/cli/serve/listen.ts'
import { readConfig } from '../../src/config.ts'
import { openOperatorStore, openPublicStore } from '../../src/database/open.ts'
import { countFrom } from '../../src/database/statements.ts'
import type { OperatorStore, PublicStore } from '../../src/database/store.ts'
import type { NewKey } from '../../src/keys/life-cycle.ts'
import { Logger } from '../../src/lib/logger.ts'
import { logLine } from '../../src/log-lines.ts'
import type { Role } from '../../src/members/records.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources as published } from '../../src/resources/index.ts'
import type { TaskRow } from '../../src/resources/tasks/columns.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import { atTime } from './at-time.ts'
import { addMember, createWorkspace } from './changes.ts'
import { changeElsewhere, type Engine, freshDatabaseUrl } from './database.ts'
import { keysIn, type TestKeys } from './keys.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { waitUntil } from './wait.ts'
import { addTasks } from './written-lists.ts'

/** A time to start from when a test moves the clock. */
export const NOON = Date.parse('2026-11-15T12:00:00.000Z')

/** The instant so many minutes later. */
export const at = (minutes: number): string => new Date(NOON + minutes * 60_000).toISOString()

export interface Service {
  url: string
  operator: OperatorStore
  /** The one that public requests use. */
  store: PublicStore
  /** Of `acme`. */
  workspaceId: string
  keys: TestKeys
  /** A key of the workspace `acme` that may read every published resource. */
  key: string
  databaseUrl: string
  logLines: string[]
  /** The service's current time, which the test sets. */
  time: { now: number }
  /** Waits until this many requests and leaked keys are in the database: they are written every two seconds. */
  untilRecorded(expected: { requests?: number; leaks?: number }): Promise<void>
  /** Stops the server, which writes all of its records. */
  stop(): Promise<void>
  addTasks(tasks: (Partial<TaskRow> & { id: string })[]): Promise<void>
  createKey(newKey?: Partial<NewKey>): Promise<{ token: string; id: string }>
  /** Adds a member, to `acme` by default. */
  addMember(email: string, role?: Role, slug?: string): Promise<unknown>
  /** The newest entries of a workspace's audit log, of `acme` by default. */
  newestEntries(count?: number, slug?: string): ReturnType<typeof newestEntries>
  /** Changes the database over a connection of its own. */
  changeElsewhere(sql: string): Promise<void>
  /** A request with the key by default. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  rpc(message: unknown, headers?: Record<string, string>, path?: string): Promise<Response>
}

interface ServiceOptions extends Partial<Omit<AppOptions, 'log'>> {
  env?: Record<string, string>
  engine?: Engine
  /** A free one unless given: for a PUBLIC_URL that is the service's own address. */
  port?: number
  /** The real clock, for what depends on the time that passes. */
  realClock?: boolean
}

/** The whole service over a fresh database, on a real socket. */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<Service> {
  const { env = {}, port: wantedPort = 0, realClock = false, engine, resources = published, ...appOptions } = options
  // The tables of further resources are added to the copy.
  const hasPublished = published.every((resource) => resources.includes(resource))
  const databaseUrl = await (hasPublished ? migratedDatabaseUrl : freshDatabaseUrl)(t, engine)
  const config = readConfig({ DATABASE_URL: databaseUrl, ...env })
  const time = { now: NOON }
  const clock = realClock ? Date.now : () => time.now
  const logLines: string[] = []
  const log = new Logger({ write: (line) => logLines.push(line) })

  const operator = await openOperatorStore(config.database, resources, { create: true })
  const acme = await createWorkspace(
    operator,
    { name: 'Acme Buying', slug: 'acme', timezone: 'Europe/London', currency: 'GBP', country: 'GB' },
    'test',
    new Date(clock()).toISOString(),
  )
  const keys = keysIn(operator, 'test', clock)
  const createKey = async (newKey: Partial<NewKey> = {}) => {
    const defaults = { label: 'test', permissions: permissionsOf(published), quota: null, expiresAt: null }
    const { token, key } = await keys.create('acme', { ...defaults, ...newKey })
    return { token, id: key.id }
  }
  const { token: key } = await createKey()

  const store = await openPublicStore(config.database, resources, {
    defaultQuota: config.quota,
    clock,
    onUseFailure: (failure) => logLine(log, 'useNotWritten', { failure }),
  })
  const { server } = createApp(config, store, {
    settingsStore: atTime(operator, clock),
    clock,
    resources,
    ...appOptions,
    log,
  })
  const port = await listen(server, { host: '127.0.0.1', port: wantedPort })
  const url = `http://127.0.0.1:${port}`
  let stopped: Promise<void> | undefined
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await store.close()
  }
  const stopOnce = () => {
    stopped ??= stop()
    return stopped
  }
  t.after(async () => {
    await stopOnce()
    await operator.close()
  })

  return {
    url,
    operator,
    store,
    workspaceId: acme.id,
    keys,
    key,
    databaseUrl,
    logLines,
    time,
    createKey,
    untilRecorded: ({ requests = 0, leaks = 0 }) =>
      waitUntil(() =>
        operator.read(async (tx) => {
          const [row] = await tx.all<{ count: number }>('SELECT coalesce(sum(count), 0) AS count FROM key_use')
          return (
            Number(row?.count) >= requests && (await countFrom(tx, 'api_keys WHERE leaked_at IS NOT NULL')) >= leaks
          )
        }),
      ),
    stop: stopOnce,
    addTasks: (tasks) => addTasks(operator, acme.id, tasks, new Date(clock()).toISOString()),
    addMember: (email, role = 'member', slug = 'acme') =>
      addMember(operator, slug, { email, role }, 'test', new Date(clock()).toISOString()),
    newestEntries: (count = 1, slug = 'acme') =>
      operator.read(async (tx) => newestEntries(tx, (await workspaceOrThrow(tx, slug)).id, count)),
    changeElsewhere: (sql) => changeElsewhere(databaseUrl, sql),
    get: (path, headers = {}) => fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } }),
    rpc: (message, headers = {}, path = '/mcp') =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      }),
  }
}
