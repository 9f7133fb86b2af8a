import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resource } from '../../../../src/resources/define.ts'
import { sizeOf } from '../../../../src/web/keys/agent/agent-view.ts'
import { argumentsIn } from '../../../../src/web/keys/agent/try-form.ts'
import { testOnce } from '../../../support/database.ts'
import type { HttpResponse } from '../../../support/exchange.ts'
import { failingResource, thrownProblem } from '../../../support/failing-resource.ts'
import { type Browser, createKeyOnPage, fieldOf, KEYS, signedIn, startSignedIn } from '../../../support/person.ts'
import { type Service, startService } from '../../../support/service.ts'
import { createBareWorkspace } from '../../../support/workspaces.ts'

const MAX_PAGE_BYTES = 60 * 1024

/** What is shown, with entities as the characters they stand for. */
const shownIn = ({ text }: HttpResponse): string =>
  text.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

async function tryRequest(browser: Browser, id: string, fields: Record<string, string> | [string, string][]) {
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  const all = Array.isArray(fields) ? fields : Object.entries(fields)
  return browser.post(`${KEYS}/${id}/agent`, [['csrf', csrf], ...all])
}

async function lastTry({ newestEntries }: Service) {
  const tries = (await newestEntries(50)).filter(({ action }) => action === 'key.tried')
  const [last] = tries
  return { count: tries.length, actor: last?.actor, subject: last?.subject, detail: last?.detail }
}

testOnce('tokens are estimated at four bytes each, of the text that a model reads', () => {
  const sizeOfJson = (value: object) => sizeOf(Buffer.from(JSON.stringify(value)))
  assert.deepEqual(sizeOf(Buffer.from('é'.repeat(5))), { bytes: 10, tokens: 3 })
  assert.deepEqual(sizeOf(Buffer.alloc(0)), { bytes: 0, tokens: 0 })
  const call = { result: { content: [{ type: 'text', text: 'é'.repeat(5) }], structuredContent: {} } }
  assert.equal(sizeOfJson(call).tokens, 3)
  assert.equal(sizeOfJson({ result: { tools: [] } }).tokens, '{"tools":[]}'.length / 4)
})

testOnce('typed arguments get their types: booleans, whole numbers, and lists without empty items', () => {
  const list = { type: 'array', items: {} }
  const schemas = { urgent: { type: 'boolean' }, rush: { type: 'boolean' }, limit: { type: 'integer' }, ids: list }
  const choice = { value: '', title: '', isPermitted: true, path: null, tool: 'list_orders', arguments: schemas }
  const typed = { urgent: 'false', rush: 'no', limit: '5', ids: ' PO-1, PO-2,' }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(typed)) form.set(`list_orders.${name}`, value)
  const expected = { urgent: false, rush: 'no', limit: 5, ids: ['PO-1', 'PO-2'] }
  assert.deepEqual(argumentsIn(form, choice), expected, 'the tool reports what is wrong with the others')
})

test('the page shows the instructions, the tools and their results, and nothing is counted or recorded', async (t) => {
  const service = await startService(t)
  await service.addTasks(Array.from({ length: 12 }, (_, i) => ({ id: `task ${i}`, title: `Title ${i}.` })))
  const browser = await signedIn(service)
  const { id, token } = await service.createKey({ label: 'Agent' })
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.equal(page.status, 200)
  const shown = shownIn(page)
  for (const words of [
    'Read-only access to one workspace',
    'list_tasks',
    'get_workspace',
    'dueBefore',
    'Title 0.',
    'Title 9.',
  ])
    assert.ok(shown.includes(words), words)
  assert.match(shown, /… 2 more/)
  assert.doesNotMatch(shown, /Title 10\./)
  assert.match(shown, /[\d,]+ bytes, about [\d,]+ tokens/)
  assert.match(shown, /Tokens are estimated at four bytes each/)
  const response = await service.get('/tasks', { authorization: `Bearer ${token}` })
  assert.equal(response.headers.get('ratelimit-remaining'), '599')
  await service.stop()
  const uses = await service.operator.read((tx) => tx.all<{ count: number }>('SELECT count FROM key_use'))
  assert.deepEqual(
    uses.map(({ count }) => count),
    [1],
  )
  assert.equal((await lastTry(service)).count, 0)
})

testOnce('untrusted text stays text, and the page stays small, whatever tasks contain', async (t) => {
  const service = await startService(t)
  const hostile = '</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"\'`&'
  const details = '<'.repeat(9_900)
  const rows = Array.from({ length: 100 }, (_, i) => ({ id: `task ${i}`, title: `${i} ${hostile}`, details }))
  await service.addTasks(rows)
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'x' })
  const pages = [
    await browser.get(`${KEYS}/${id}/agent`),
    await tryRequest(browser, id, { request: 'GET /tasks' }),
    await tryRequest(browser, id, { request: 'tools/call list_tasks', 'list_tasks.limit': '3' }),
    await tryRequest(browser, id, { request: 'tools/call list_tasks', 'list_tasks.bookKey': hostile }),
  ]
  for (const { status, text, body } of pages) {
    assert.equal(status, 200)
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<img src=x|\u202e/)
    assert.ok(body.length < MAX_PAGE_BYTES, `${body.length} bytes`)
  }
  // It is one page, and what it shows of that is parsed whatever the tasks hold.
  assert.match(shownIn(pages[0] as HttpResponse), /The whole response is \d\d,\d{3} bytes/)
})

testOnce('a key sees what its permissions allow; other tools can be tried, and are refused', async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 'one', title: 'Secret plan' }])
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'x', permissions: ['workspace:read'] })
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.doesNotMatch(page.text, /Secret plan/)
  assert.match(shownIn(page), /Not shown to it: list_tasks, which needs tasks:read/)
  const refused = await tryRequest(browser, id, { request: 'GET /tasks' })
  assert.match(shownIn(refused), /403 Forbidden GET \/tasks/)
  assert.match(shownIn(refused), /"code": "forbidden"/)
  assert.match(shownIn(await tryRequest(browser, id, { request: 'tools/call list_tasks' })), /tool_not_found/)
})

test('a try is a real request: it is counted, recorded and audited, and its response is shown', async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 'one', title: 'The first' }])
  const browser = await signedIn(service)
  const { id, token } = await service.createKey({ label: 'Agent', quota: { limit: 3, windowSeconds: 60 } })
  const first = shownIn(await tryRequest(browser, id, { request: 'GET /tasks' }))
  for (const words of [/200 OK GET \/tasks/, /RateLimit-Remaining\s*2/, /ETag/, /X-Request-Id/, /"title": "The first"/])
    assert.match(first, words)
  assert.deepEqual(await lastTry(service), {
    ...{ count: 1, actor: 'owner@acme.example', subject: id },
    detail: { label: 'Agent', request: 'GET /tasks', status: 200 },
  })
  const fields: [string, string][] = [
    ['request', 'tools/call list_tasks'],
    ['list_tasks.limit', '1'],
    ['list_tasks.ids', 'one, two'],
    ['list_tasks.unassigned', 'true'],
    ['list_tasks.fields', 'title'],
    ['list_tasks.fields', 'dueAt'],
    ['list_tasks.cursor', ''],
  ]
  const called = shownIn(await tryRequest(browser, id, fields))
  for (const words of [
    /200 OK tools\/call list_tasks/,
    /RateLimit-Remaining\s*1/,
    /X-Service-Api-Version\s*2026-07-28/,
  ])
    assert.match(called, words)
  const request = 'tools/call list_tasks {"unassigned":true,"ids":["one","two"],"fields":["title","dueAt"],"limit":1}'
  assert.deepEqual((await lastTry(service)).detail, { label: 'Agent', request, status: 200 })
  const wrong = shownIn(await tryRequest(browser, id, { request: 'tools/call list_tasks', 'list_tasks.limit': 'many' }))
  assert.match(wrong, /limit must be a whole number/)
  assert.equal((await service.get('/tasks', { authorization: `Bearer ${token}` })).status, 429, 'one limit for all')
  const over = shownIn(await tryRequest(browser, id, { request: 'GET /tasks' }))
  for (const words of [/429 Too Many Requests/, /Retry-After\s*60/, /rate_limited/]) assert.match(over, words)
  await service.stop()
  const rows = await service.operator.read((tx) =>
    tx.all<{ kind: string; client: string }>('SELECT kind, client FROM key_incidents'),
  )
  assert.deepEqual({ ...rows[0] }, { kind: 'over_quota', client: 'Vitrine-settings at 127.0.0.1' })
})

test('other changes do not wait for a try', async (t) => {
  const [asked, read] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  const slow: Resource = {
    ...failingResource(undefined),
    read: () => {
      asked.resolve()
      return read.promise
    },
  }
  const service = await startService(t, { resources: [slow] })
  const browser = await signedIn(service)
  const { id } = await service.createKey({ permissions: ['workspace:read'] })
  const tried = tryRequest(browser, id, { request: 'GET /failing' })
  await Promise.race([asked.promise, tried.then(({ status }) => assert.fail(`${status} without a read`))])
  await service.keys.pause(id).finally(() => read.reject(thrownProblem))
  assert.match(shownIn(await tried), /The shelf is closed/)
  assert.equal((await lastTry(service)).count, 1)
})

test('only a key of this workspace can be previewed or tried, and only with what is offered', async (t) => {
  const { service, browser } = await startSignedIn(t)
  await createBareWorkspace(service, 'other')
  const [other] = await service.keys.list('other')
  assert.equal((await browser.get(`${KEYS}/${other?.id}/agent`)).status, 404)
  assert.equal((await tryRequest(browser, other?.id ?? '', { request: 'GET /tasks' })).status, 404)
  const { id } = await service.createKey()
  for (const request of ['', 'GET /settings', 'GET /healthz', 'POST /tasks', 'tools/call', 'tools/call nothing'])
    assert.equal((await tryRequest(browser, id, { request })).status, 400, request)
  assert.equal((await browser.post(`${KEYS}/${id}/agent`, { request: 'GET /tasks' })).status, 403, 'no CSRF token')
  assert.equal((await lastTry(service)).count, 0)
})

testOnce('a key that was pasted into an argument is neither shown nor stored', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token } = await createKeyOnPage(browser)
  const { id } = await service.createKey()
  const fields = { request: 'tools/call list_tasks', 'list_tasks.bookKey': token, 'list_tasks.cursor': token }
  const response = await tryRequest(browser, id, fields)
  assert.ok(!response.text.includes(token))
  assert.ok(!JSON.stringify(await lastTry(service)).includes(token))
})

testOnce('the form is filled in again if the session had ended', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey()
  browser.cookies.delete('vitrine_session')
  const path = `${KEYS}/${id}/agent`
  const fields = { csrf: 'old', request: 'tools/call list_tasks', 'list_tasks.limit': '7' }
  assert.equal((await browser.post(path, fields)).status, 303)
  assert.equal((await browser.signIn(service.operator, 'owner@acme.example', service.time.now)).headers.location, path)
  const { text } = await browser.get(path)
  assert.match(text, /value="tools\/call list_tasks" checked/)
  assert.match(text, /name="list_tasks\.limit" type="text" value="7"/)
  assert.equal((await lastTry(service)).count, 0)
})
