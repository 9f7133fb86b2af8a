import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendAudit } from '../../src/audit/log.ts'
import { recordSynced } from '../../src/import/sources.ts'
import type { List } from '../../src/lists/definition.ts'
import { permissionsOf, publishedOf } from '../../src/resources/define.ts'
import { atTime } from '../support/at-time.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { declaredResource, manyResources } from '../support/many-resources.ts'
import { createKeyOnPage, fieldOf, KEYS, signedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

const resources = manyResources()
const MAX_PAGE_BYTES = 60_000

const wordsIn = ({ text }: Pick<HttpResponse, 'text'>): string =>
  text
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

test('a new key reads the built-in resources; declared permissions are chosen, and a rotation keeps them', async (t) => {
  const service = await startService(t, { resources })
  const browser = await signedIn(service)
  const get = async (path: string, token: string) =>
    (await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })).status
  const { response, token } = await createKeyOnPage(browser)
  assert.match(wordsIn(response), /may use workspace:read and tasks:read until/)
  assert.deepEqual([await get('/tasks', token), await get('/orders', token)], [200, 403])

  const page = await browser.get(`${KEYS}/new`)
  assert.deepEqual(
    [...page.text.matchAll(/name="permissions" value="([^"]+)" checked/g)].map(([, name]) => name),
    ['workspace:read', 'tasks:read'],
  )
  const chosen = await browser.post(KEYS, [
    ...Object.entries({ csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once'), label: 'orders', expiry: 'never' }),
    ...permissionsOf(resources)
      .slice(2, 6)
      .map((name): [string, string] => ['permissions', name]),
  ])
  assert.match(wordsIn(chosen), /may use orders:read , invoices:read , suppliers:read and 1 more\. It does not expire/)
  assert.match(chosen.text, /curl \S+\/orders /, 'the example is something that the key may read')
  const key = (await service.keys.list('acme')).find(({ label }) => label === 'orders')
  const { key: successor } = await service.keys.rotate(key?.id ?? '', 0)
  assert.deepEqual(successor.permissions, permissionsOf(resources).slice(2, 6))
})

test('the page shows one list at a time, with links to the other tools, and does not grow with their number', async (t) => {
  const service = await startService(t, { resources })
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'all', permissions: permissionsOf(resources) })
  const agent = `${KEYS}/${id}/agent`
  const first = await browser.get(agent)
  assert.match(wordsIn(first), /List tasks list_tasks .*"tasks" ?: \[\].* 20 other tools/)
  const [, link = ''] = /href="([^"]+)#tool-list_orders"/.exec(first.text) ?? []
  const orders = await browser.get(link)
  assert.match(wordsIn(orders), /List orders list_orders .*"orders" ?: \[\].* 20 other tools .*list_tasks/)
  for (const { text } of [first, orders, await browser.get(`${KEYS}/${id}`), await browser.get(`${KEYS}/new`)])
    assert.ok(Buffer.byteLength(text) < MAX_PAGE_BYTES, `${Buffer.byteLength(text)} bytes`)
  const few = await service.createKey({ label: 'few' })
  assert.match(
    wordsIn(await browser.get(`${KEYS}/${few.id}/agent`)),
    /Not shown to it: list_orders , which needs orders:read/,
  )
})

test('imports and syncs of declared resources are described in words, and their sources shown, except for drafts', async (t) => {
  const draft = declaredResource('memos', { state: 'draft' })
  const service = await startService(t, { resources: publishedOf([...resources, draft]) })
  assert.equal((await service.get('/memos')).status, 404)
  const browser = await signedIn(service)
  const { operator, workspaceId, time } = service
  const at = new Date(time.now).toISOString()
  await atTime(operator, () => time.now).transaction(async (tx) => {
    for (const [name, source] of [
      ['orders', 'erp'],
      ['memos', 'notes'],
    ] as const) {
      const attempt = { workspace: 'acme', source, location: 'x.csv' }
      await recordSynced(tx, { name } as List, workspaceId, attempt, 7)
    }
    for (const action of ['orders.imported', 'orders.synced', 'orders.deleted', 'orders.frobbed'])
      await appendAudit(tx, { at, workspaceId, actor: 'cli', action, subject: workspaceId, detail: { created: 3 } })
  })
  const workspace = wordsIn(await browser.get('/settings/workspaces/acme/workspace'))
  assert.match(workspace, /erp x\.csv 7 orders/)
  assert.doesNotMatch(workspace, /memos/)
  const audit = wordsIn(await browser.get('/settings/workspaces/acme/audit'))
  for (const words of ['Imported orders', 'Synced orders', 'Deleted orders', 'orders.frobbed'])
    assert.ok(audit.includes(words), words)
  assert.doesNotMatch(wordsIn(await browser.get(`${KEYS}/new`)), /memos/)
})
