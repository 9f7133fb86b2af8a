// On both engines: everything that shows at the wire, once.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { resources as builtIn } from '../../src/resources/index.ts'
import { readContract } from '../../src/tools/check/contract.ts'
import { checkDeployment } from '../../src/tools/check/run.ts'
import { orders } from '../resources/declared/orders.ts'
import { archiveWorkspace } from '../support/changes.ts'
import { type Service, startService } from '../support/service.ts'
import { startFaultyProxy } from '../tools/check/faulty-proxy.ts'

const QUOTA = { RATE_LIMIT: '100000;w=60' }
const COMPRESSED = /compressed-etag$/

/** The table of `vitrine check`, row by row. Only a proxy compresses; `mayNotRead` names what this key cannot read. */
async function assertTable(t: TestContext, { url, key }: Pick<Service, 'url' | 'key'>, mayNotRead?: RegExp) {
  const { results } = await checkDeployment({ target: { url: new URL(url) }, key })
  for (const { id, status, ...facts } of results)
    await t.test(id, () => {
      const isSkipped = COMPRESSED.test(id) || mayNotRead?.test(id)
      assert.equal(status, isSkipped ? 'skipped' : 'passed', JSON.stringify(facts))
    })
}

test('the service keeps every promise of the table, in every operation', async (t) => {
  const service = await startService(t, { env: QUOTA, resources: [...builtIn, compileDefinition(orders)] })
  await service.addTasks([{ id: 'a', title: 'Ünal "日本" 👜', dueAt: '2026-11-16T17:00:00.000Z' }, { id: 'b' }])
  const called = new Set<string>()
  const respond = (_: unknown, { method, path }: { method: string; path: string }) =>
    void called.add(`${method} ${path}`)
  const { token } = await service.createKey({ permissions: ['workspace:read', 'tasks:read', 'orders:read'] })
  await assertTable(t, { url: await startFaultyProxy(t, service.url, { respond }), key: token })
  const operations = readContract().operations()
  assert.deepEqual(
    operations.filter(({ method, path }) => !called.has(`${method} ${path}`)),
    [],
  )
})

test('so it does with a public URL, where people connect by signing in', async (t) => {
  const service = await startService(t, { env: { ...QUOTA, PUBLIC_URL: 'https://v.example' } })
  await assertTable(t, service)
})

test('so it does for a key that may read less, and after its workspace was archived', async (t) => {
  const service = await startService(t, { env: QUOTA })
  const { token } = await service.createKey({ permissions: ['tasks:read'] })
  const ofWorkspace = /^rest\.workspace\.(get|head|etag)$/
  await assertTable(t, { url: service.url, key: token }, ofWorkspace)
  await archiveWorkspace(service.operator, 'acme', 'test')
  await assertTable(t, service, ofWorkspace)
})
