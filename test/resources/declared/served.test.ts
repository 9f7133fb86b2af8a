// Run once: each test covers both engines itself.
/** One file in the folder RESOURCES, and nothing else, makes a resource: commands, route, tool, permission, documentation. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { engines, freshDatabaseUrl, skipWithoutPostgres, testOnce } from '../../support/database.ts'
import { type Program, program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { changed, orders } from './orders.ts'

const ROWS = [
  { id: 'a', supplier: 'Zen', total: '1240.50', orderedOn: '2026-11-16', status: 'sent' },
  {
    id: 'b',
    supplier: 'Alvés & Filhos',
    orderedOn: '2026-11-15',
    deliveryAt: '2026-12-01T09:00:00Z',
    urgent: true,
    status: 'draft',
  },
  {
    id: 'c',
    supplier: 'Alvés & Filhos',
    total: '-0.10',
    orderedOn: '2026-11-14',
    deliveryAt: '2026-11-20T09:00:00+01:00',
    status: 'received',
  },
]

/** The closed one is not current. */
const CLOSED = { id: 'd', supplier: 'Alvés & Filhos', orderedOn: '2026-11-01', status: 'closed' }

const SERVED = [
  {
    id: 'c',
    supplier: 'Alvés & Filhos',
    total: '-0.10',
    orderedOn: '2026-11-14',
    deliveryAt: '2026-11-20T08:00:00.000Z',
    urgent: false,
    status: 'received',
  },
  {
    id: 'b',
    supplier: 'Alvés & Filhos',
    total: null,
    orderedOn: '2026-11-15',
    deliveryAt: '2026-12-01T09:00:00.000Z',
    urgent: true,
    status: 'draft',
  },
  {
    id: 'a',
    supplier: 'Zen',
    total: '1240.50',
    orderedOn: '2026-11-16',
    deliveryAt: null,
    urgent: false,
    status: 'sent',
  },
]

function folderWith(t: TestContext, ...definitions: object[]): string {
  const folder = temporaryFolder(t)
  for (const [i, definition] of definitions.entries())
    writeFileSync(join(folder, `${i}.json`), JSON.stringify(definition))
  return folder
}

async function filled(t: TestContext, settings: Record<string, string>): Promise<Program> {
  const vitrine = program(t, settings)
  await vitrine.ok('migrate')
  await vitrine.ok(
    'workspace',
    'create',
    '--name',
    'Acme',
    '--slug',
    'acme',
    '--timezone',
    'Europe/Lisbon',
    '--currency',
    'EUR',
  )
  vitrine.writeFile('orders.json', JSON.stringify([...ROWS, CLOSED]))
  assert.equal(
    await vitrine.ok('order', 'import', '--workspace', 'acme', 'orders.json', '--json'),
    '{"created":4,"replaced":0,"deleted":0,"unchanged":0}',
  )
  return vitrine
}

const createKey = (vitrine: Program, ...more: string[]) =>
  vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', ...more)

for (const engine of engines)
  test(
    `a server serves a declared resource (${engine})`,
    engine === 'postgres' ? skipWithoutPostgres() : {},
    async (t) => {
      const RESOURCES = folderWith(t, orders)
      const vitrine = await filled(t, {
        DATABASE_URL: await freshDatabaseUrl(t, engine),
        RESOURCES,
      })
      const [reader, plain] = [await createKey(vitrine, '--permissions', 'orders:read'), await createKey(vitrine)]
      const server = await vitrine.start('serve')
      const get = (path: string, key: string) =>
        fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })

      const response = await get('/orders', reader)
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), { orders: SERVED })
      assert.match(response.headers.get('etag') ?? '', /^"/)
      assert.equal((await get('/orders', plain)).status, 403, 'a new key may read only what is built in')

      for (const path of ['/mcp', '/v1/mcp', '/v2/mcp']) {
        const call = async (method: string, params: object) => {
          const headers = { authorization: `Bearer ${reader}`, 'content-type': 'application/json' }
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
          return (
            (await (await fetch(server.url + path, { method: 'POST', headers, body })).json()) as { result: never }
          ).result
        }
        const { tools } = (await call('tools/list', {})) as { tools: { name: string; description: string }[] }
        assert.deepEqual(
          tools.map(({ name }) => name),
          ['list_orders'],
          path,
        )
        const ask = async (args: object) => {
          const { content } = (await call('tools/call', { name: 'list_orders', arguments: args })) as {
            content: [{ text: string }]
          }
          return JSON.parse(content[0].text)
        }
        assert.deepEqual((await ask({})).orders, SERVED, path)
        assert.deepEqual((await ask({ supplier: 'Alvés & Filhos', limit: 1 })).orders, SERVED.slice(0, 1), path)
        assert.equal((await ask({ query: 'zen' })).total, 1, path)
        assert.equal((await ask({ deliveryAtAfter: '2026-11-20', deliveryAtBefore: '2026-12-01' })).total, 1, path)
        assert.deepEqual((await ask({ countBy: 'supplier' })).counts, [
          { value: 'Alvés & Filhos', count: 2 },
          { value: 'Zen', count: 1 },
        ])
      }

      const document = (await (await get('/openapi.json', reader)).json()) as {
        paths: object
        components: { schemas: object }
      }
      assert.ok('/orders' in document.paths && 'Order' in document.components.schemas)
      assert.match(await (await fetch(`${server.url}/docs/api`)).text(), /GET \/orders/)

      vitrine.writeFile('fewer.json', JSON.stringify([{ ...ROWS[0], total: '1240.5' }]))
      await vitrine.ok('order', 'import', '--workspace', 'acme', 'fewer.json')
      const { orders: changedRows } = (await (await get('/orders', reader)).json()) as { orders: typeof SERVED }
      assert.equal(changedRows[2]?.total, '1240.5', 'the next request has the change')
      await vitrine.ok('order', 'delete', '--workspace', 'acme', 'b')
      assert.deepEqual(
        (await vitrine.jsonLines('order', 'list', '--workspace', 'acme')).map(({ id }) => id),
        ['c', 'a'],
      )
      assert.equal((await vitrine.json('order', 'show', '--workspace', 'acme', 'c')).total, '-0.10')
      await server.stop()
      assert.doesNotMatch((await vitrine.run('doctor')).stdout, /^FAIL/m)
    },
  )

testOnce('a draft has a table and commands, but no route, tool, permission or operation', async (t) => {
  const vitrine = await filled(t, {
    DATABASE_URL: await freshDatabaseUrl(t),
    RESOURCES: folderWith(t, changed({ state: 'draft' })),
  })
  assert.equal((await vitrine.jsonLines('order', 'list', '--workspace', 'acme')).length, 3)
  const refused = await vitrine.run(
    'key',
    'create',
    '--workspace',
    'acme',
    '--label',
    'x',
    '--permissions',
    'orders:read',
  )
  assert.match(refused.stderr, /unknown permission "orders:read"/)
  const key = await createKey(vitrine)
  const server = await vitrine.serve()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  assert.equal((await fetch(`${server.url}/orders`, { headers })).status, 404)
  assert.doesNotMatch(await (await fetch(`${server.url}/openapi.json`)).text(), /orders/)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  assert.doesNotMatch(await (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).text(), /orders/)
})

testOnce('the folder may be named in an env file', async (t) => {
  const vitrine = await filled(t, { DATABASE_URL: await freshDatabaseUrl(t), RESOURCES: folderWith(t, orders) })
  vitrine.writeFile('env', `RESOURCES=${vitrine.env.RESOURCES}\n`)
  delete vitrine.env.RESOURCES
  for (const option of [['--env-file', 'env'], ['--env-file=env']])
    assert.match((await vitrine.run('order', 'list', '--workspace', 'acme', ...option)).stdout, /Zen/)
})

testOnce('an unusable folder stops only what needs it, in one line', async (t) => {
  const RESOURCES = folderWith(t, changed({ order: ['x'] }))
  const fault = `RESOURCES: ${join(RESOURCES, '0.json')}: order.0 "x" is not one of the fields; did you mean `
  const vitrine = program(t, { RESOURCES })
  for (const words of [
    ['serve'],
    ['migrate'],
    ['workspace', 'list'],
    ['order', 'list'],
    ['resource', 'list'],
    ['key', 'create', '--workspace', 'a', '--label', 'x'],
  ]) {
    const { code, stderr } = await vitrine.run(...words)
    assert.deepEqual(
      [code, stderr.startsWith(`vitrine: ${fault}`), stderr.split('\n').length],
      [1, true, 2],
      `${words}: ${stderr}`,
    )
  }
  assert.match((await vitrine.run('doctor')).stdout, new RegExp(`^FAIL  settings: ${RegExp.escape(fault)}`, 'm'))
  assert.match((await vitrine.run('--version')).stdout, /^vitrine \d/)
  assert.equal((await vitrine.run('--help')).code, 0)
  assert.ok((await vitrine.run('--help')).stdout.includes(fault))
  for (const words of [
    ['check', 'http://127.0.0.1:9'],
    ['stdio', '--url', 'http://127.0.0.1:9'],
  ])
    assert.doesNotMatch((await vitrine.runApart(...words)).stderr, /RESOURCES/)
})
