// On both engines: rows are searched for keys.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectElsewhere, engineUnderTest } from '../support/database.ts'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { encodings, leakOf } from '../support/key-leaks.ts'
import { type Browser, fieldOf, KEYS, signedIn } from '../support/person.ts'
import { openRaw } from '../support/raw.ts'
import { type Service, startService } from '../support/service.ts'

interface World {
  service: Service
  browser: Browser
  csrf: string
  /** Used for requests that must be let in, and never planted. */
  otherKey: string
  key: { token: string; id: string }
}

type Place = (world: World, planted: string) => Promise<HttpResponse>

const asHeader = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')
const asPath = (text: string) => text.replace(/[ "]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)

const headerNames = [
  ...'user-agent x-forwarded-for forwarded x-real-ip origin referer cookie accept x-request-id'.split(' '),
  ...'if-none-match mcp-protocol-version content-type content-encoding authorization sec-fetch-site'.split(' '),
]
const callHeaders = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
const rpc = ({ service, otherKey }: World, message: object) =>
  exchange(service.url, '/mcp', { method: 'POST', headers: callHeaders(otherKey), body: JSON.stringify(message) })
const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
const form = ({ browser, csrf }: World, path: string, fields: Record<string, string>) =>
  browser.post(path, { csrf, once: 'A'.repeat(43), overlap: '0', ...fields })

const places: Record<string, Place> = {
  ...Object.fromEntries(
    headerNames.flatMap((name): [string, Place][] => [
      [
        `the header ${name} of a read`,
        ({ service, otherKey }, planted) =>
          exchange(service.url, '/tasks', {
            headers: { authorization: `Bearer ${otherKey}`, [name]: asHeader(planted) },
          }),
      ],
      [
        `the header ${name} of a call`,
        ({ service, otherKey }, planted) =>
          exchange(service.url, '/mcp', {
            method: 'POST',
            headers: { ...callHeaders(otherKey), [name]: asHeader(planted) },
            body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
          }),
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['user-agent', 'x-forwarded-for', 'origin', 'referer'].map((name): [string, Place] => [
      `the header ${name} of a page`,
      ({ browser }, planted) => browser.get(KEYS, { [name]: asHeader(planted) }),
    ]),
  ),
  'the product of a refused client': ({ service, key }, planted) =>
    exchange(service.url, '/tasks', {
      headers: { authorization: `Bearer ${key.token.slice(0, -1)}`, 'user-agent': asHeader(planted) },
    }),
  'after the product': ({ service, otherKey }, planted) =>
    exchange(service.url, '/tasks', {
      headers: { authorization: `Bearer ${otherKey}`, 'user-agent': `app/${asHeader(planted)}` },
    }),
  'the host of a page that shows a key': async (world, planted) => {
    const response = await world.browser.post(
      KEYS,
      [
        ...Object.entries({ csrf: world.csrf, once: once(), label: 'x', expiry: '30' }),
        ['permissions', 'tasks:read'],
      ] as [string, string][],
      { host: asHeader(planted).replace(/[ "]/g, ''), origin: `http://${asHeader(planted).replace(/[ "]/g, '')}` },
    )
    return response
  },
  'a path': ({ service }, planted) => exchange(service.url, `/${asPath(planted)}`),
  'a deep path': ({ service }, planted) => exchange(service.url, `/tasks/x/${asPath(planted)}/y?z=1`),
  'a problem page': ({ service }, planted) => exchange(service.url, `/problems/${asPath(planted)}`),
  'a page of settings': ({ browser }, planted) => browser.get(`/settings/${asPath(planted)}`),
  'a workspace of settings': ({ browser }, planted) => browser.get(`/settings/workspaces/${asPath(planted)}/keys`),
  'a key of settings': ({ browser }, planted) => browser.get(`${KEYS}/${asPath(planted)}/revoke`),
  'a key to revoke': (world, planted) => form(world, `${KEYS}/${asPath(planted)}/revoke`, {}),
  'the private JSON': ({ browser }, planted) => browser.get(`/api/workspaces/acme/keys/${asPath(planted)}/first-use`),
  'a query': ({ service }, planted) => exchange(service.url, `/tasks?api_key=${asPath(planted)}`),
  'the whole URL': ({ service }, planted) => exchange(service.url, `http://x/${asPath(planted)}?k=${asPath(planted)}`),
  'the search': ({ browser }, planted) => browser.get(`${KEYS}?q=${encodeURIComponent(planted)}`),
  'the filter of the log': ({ browser }, planted) =>
    browser.get(`/settings/workspaces/acme/audit?key=${encodeURIComponent(planted)}`),
  'the kind in the log': ({ browser }, planted) =>
    browser.get(`/settings/workspaces/acme/audit?kind=${encodeURIComponent(planted)}`),
  'the place in the log': ({ browser }, planted) =>
    browser.get(`/settings/workspaces/acme/audit.csv?before=${encodeURIComponent(planted)}`),
  'a notice': ({ browser }, planted) => browser.get(`/settings/sign-in?notice=${encodeURIComponent(planted)}`),
  'a sign-in link': ({ browser }, planted) =>
    browser.get(`/settings/sign-in/link?token=${encodeURIComponent(planted)}`),
  'a sign-in form': (world, planted) => form(world, '/settings/sign-in/link', { token: planted }),
  'the method of a call': (world, planted) => rpc(world, { jsonrpc: '2.0', id: 1, method: planted }),
  'the version of a call': (world, planted) => rpc(world, { jsonrpc: planted, id: 1, method: 'ping' }),
  'a member of a call': (world, planted) => rpc(world, { jsonrpc: '2.0', id: 1, method: 'ping', [planted]: 1 }),
  'the name of a tool': (world, planted) => rpc(world, call({ name: planted })),
  'the name of an argument': (world, planted) => rpc(world, call({ name: 'list_tasks', arguments: { [planted]: 1 } })),
  'an argument': (world, planted) => rpc(world, call({ name: 'list_tasks', arguments: { dueBefore: planted } })),
  'an argument that is found nowhere': (world, planted) =>
    rpc(world, call({ name: 'list_tasks', arguments: { bookKey: planted, assigneeEmail: planted } })),
  'a cursor': (world, planted) =>
    rpc(world, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: planted } }),
  'client info': (world, planted) =>
    rpc(world, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: planted,
        clientInfo: { name: planted, version: planted },
        _meta: { [planted]: planted },
      },
    }),
  'a body that is no JSON': ({ service, otherKey }, planted) =>
    exchange(service.url, '/mcp', { method: 'POST', headers: callHeaders(otherKey), body: `{"x": ${planted}` }),
  'the label of a key': (world, planted) =>
    form(world, KEYS, { label: planted, permissions: 'tasks:read', expiry: '30' }),
  'other fields of a key': (world, planted) =>
    form(world, KEYS, {
      label: 'x',
      permissions: planted,
      expiry: 'custom',
      expiryDate: planted,
      rateLimit: planted,
      rateWindow: planted,
    }),
  'hidden fields': (world, planted) => form(world, KEYS, { csrf: planted, once: planted, label: 'x' }),
  'the overlap': (world, planted) => form(world, `${KEYS}/${world.key.id}/rotate`, { overlap: planted }),
  'a request line': ({ service }, planted) => raw(service, `GET /${planted} HTTP/9.9\r\nHost: x\r\n\r\n`),
  'a method': ({ service }, planted) => raw(service, `${planted} / HTTP/1.1\r\nHost: x\r\n\r\n`),
  'a broken header': ({ service }, planted) => raw(service, `GET / HTTP/1.1\r\nHost: x\r\n${planted}\r\n\r\n`),
}

let forms = 0
const once = () => String(forms++).padStart(43, 'A')

async function raw({ url }: Service, text: string): Promise<HttpResponse> {
  const connection = await openRaw(url)
  connection.write(text)
  const response = await connection.next()
  connection.socket.destroy()
  return response
}

async function startWorld(t: TestContext): Promise<World> {
  const service = await startService(t, { env: { TRUST_PROXY: '1' } })
  const browser = await signedIn(service)
  const key = await service.createKey({ label: 'planted' })
  return { service, browser, key, otherKey: service.key, csrf: fieldOf(await browser.get(KEYS), 'csrf') }
}

/** Everything that is stored, in all tables. */
async function everyRow(databaseUrl: string): Promise<string> {
  const elsewhere = await connectElsewhere(databaseUrl)
  try {
    const tables = await elsewhere.all<{ name: string }>(
      engineUnderTest() === 'sqlite'
        ? `SELECT name FROM sqlite_schema WHERE type = 'table'`
        : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'vitrine'`,
    )
    assert.ok(tables.length >= 9)
    const rows = []
    for (const { name } of tables) rows.push(await elsewhere.all(`SELECT * FROM ${name}`))
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  } finally {
    await elsewhere.close()
  }
}

/** The page that has just created a key shows it, but must not show the planted one. */
const shownOf = ({ headers, text }: HttpResponse) => `${JSON.stringify(headers)}\n${text}`

test('a key planted in any place and any way: no response, log line or row shows more of it than its prefix', async (t) => {
  const world = await startWorld(t)
  const { service, key } = world
  // PostgreSQL repeats a few encodings: keys are redacted before anything is stored.
  const repeated = ['as it is', 'encoded twice', 'in base64']
  const tried = Object.entries(encodings).filter(([how]) => engineUnderTest() === 'sqlite' || repeated.includes(how))
  for (const [name, plant] of Object.entries(places))
    for (const [how, encode] of tried) {
      service.time.now += 60_000
      const response = await plant(world, encode(key.token))
      assert.equal(leakOf(shownOf(response), key.token), undefined, `a response to a key in ${name}, ${how}`)
      assert.equal(leakOf(service.logLines.join(''), key.token), undefined, `the log after a key in ${name}, ${how}`)
      assert.ok(response.status !== 500, `${name}, ${how}`)
      service.logLines.length = 0
    }
  await service.stop()
  assert.equal(leakOf(service.logLines.join(''), key.token), undefined)
  const rows = await everyRow(service.databaseUrl)
  assert.ok(rows.includes(key.token.slice(0, 10)), 'the rows are there')
  assert.equal(leakOf(rows, key.token), undefined, 'a row')
})
