import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { List } from '../../src/lists/definition.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { setArchivedAt } from '../../src/workspaces/records.ts'
import { resources } from '../resources/declared/orders.ts'
import { addMember, createWorkspace } from '../support/changes.ts'
import { type Engine, freshDatabaseUrl } from '../support/database.ts'
import { exchange } from '../support/exchange.ts'
import { startOperator } from '../support/operator.ts'
import { Browser, fieldOf, KEYS } from '../support/person.ts'
import { gather } from '../support/wait.ts'
import { addRows } from '../support/written-lists.ts'
import type { Measured } from './server-main.ts'

/** Keys in every possible state. */
export interface FuzzKeys {
  full: string
  /** May read the workspace, and nothing else. */
  limited: string
  revoked: string
  expired: string
  /** Has used its quota up. */
  spent: string
  /** Of a workspace that was archived. */
  archived: string
}

export interface Target {
  url: string
  engine: Engine
  databaseUrl: string
  keys: FuzzKeys
  /** The cookie of an owner's session, and the token of its forms. */
  session: { cookie: string; csrf: string; keyId: string }
  measure(): Promise<Measured>
  /** Rejects if the server exits unexpectedly. */
  died: Promise<never>
  /** Stops the server, and returns its log. */
  stop(): Promise<string>
}

const DAY_MS = 86_400_000

/** A service in its own process, over a small workspace with keys of every kind. */
export async function startTarget(t: TestContext, engine: Engine): Promise<Target> {
  const databaseUrl = await freshDatabaseUrl(t, engine)
  const operator = await startOperator(t, databaseUrl, resources)
  const now = () => new Date().toISOString()
  await operator.addTasks([
    { id: 'a', title: 'Zoë “said” \\ 東京 🎈', dueAt: '2026-11-16T17:00:00.000Z', assigneeEmail: 'Ana@x.example' },
    { id: 'b', title: 'Second', bookKey: 'linen' },
  ])
  const row = { orderedOn: '2026-11-16', deliveryAt: null, urgent: false, status: 'sent' }
  const { list } = resources.find(({ name }) => name === 'orders') as { list: List }
  await addRows(
    operator.store,
    operator.workspace.id,
    list,
    [
      { ...row, id: 'PO-1', supplier: 'Zoë “said” \\ 東京 🎈', total: '1240.50' },
      { ...row, id: 'PO-2', supplier: "O'Neil", total: null, deliveryAt: '2026-11-16T17:00:00.000Z' },
    ],
    now(),
  )
  const newKey = { label: 'fuzz', permissions: permissionsOf(resources), quota: null, expiresAt: null }
  const gone = await createWorkspace(operator.store, { name: 'Gone', slug: 'gone' }, 'test', now())
  const revoked = await operator.keys.create('acme', newKey)
  await operator.keys.revoke(revoked.key.id)
  const full = await operator.keys.create('acme', newKey)
  const keys: FuzzKeys = {
    full: full.token,
    limited: (await operator.keys.create('acme', { ...newKey, permissions: ['workspace:read'] })).token,
    revoked: revoked.token,
    expired: (await operator.keys.create('acme', { ...newKey, expiresAt: new Date(Date.now() - DAY_MS).toISOString() }))
      .token,
    spent: (await operator.createKey({ limit: 1, windowSeconds: 86_400 })).token,
    archived: (await operator.keys.create('gone', newKey)).token,
  }
  await operator.store.transaction((tx) => setArchivedAt(tx, gone.id, now()))
  await addMember(operator.store, 'acme', { email: 'owner@acme.example', role: 'owner' }, 'test', now())

  const { url, child, died, log } = await startServer(t, databaseUrl)
  // Connections that a client keeps for later would be counted as left open.
  const headers = { authorization: `Bearer ${keys.spent}`, connection: 'close' }
  assert.equal((await exchange(url, '/workspace', { headers })).status, 200)

  const browser = new Browser(url)
  await browser.signIn(operator.store, 'owner@acme.example', Date.now())
  const page = await browser.get(`${KEYS}/new`)
  const cookie = browser.cookieHeader

  return {
    url,
    engine,
    databaseUrl,
    died,
    keys,
    session: { cookie, csrf: fieldOf(page, 'csrf'), keyId: full.key.id },
    async measure() {
      const answered = once(child, 'message')
      child.send('measure')
      return (await answered)[0] as Measured
    },
    async stop() {
      const closed = once(child, 'close')
      child.send('stop')
      assert.deepEqual(await closed, [0, null])
      return log()
    },
  }
}

async function startServer(t: TestContext, databaseUrl: string) {
  const settings = { PORT: '0', DATABASE_URL: databaseUrl, RATE_LIMIT: '1000000000;w=60', TRUST_PROXY: '1' }
  const env = { PATH: process.env.PATH ?? '', ...settings }
  const child = fork(join(import.meta.dirname, 'server-main.ts'), {
    env,
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const log = gather(child.stdout, child.stderr)
  const died = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`the server ended by itself (${code ?? signal}): ${log().slice(-2000)}`)
  })
  died.catch(() => {})
  const [port] = (await Promise.race([once(child, 'message'), died])) as [number]
  return { url: `http://127.0.0.1:${port}`, child, died, log }
}
