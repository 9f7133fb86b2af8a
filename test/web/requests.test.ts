// On both engines: one page over requests and sums.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { changeElsewhere, connectElsewhere, testOnce } from '../support/database.ts'
import { fieldOf, KEYS, signedIn, textOf } from '../support/person.ts'
import { at, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

const REQUESTS = '/settings/workspaces/acme/requests'

interface Row {
  key: string
  minutes: number
  id: string
  tool?: string
  names?: string
  status?: number
  code?: string
  refused?: string
  omitted?: number
}

/** The service writes its log in batches; these rows are as it writes them. */
async function start(t: TestContext) {
  const service = await startService(t)
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const workspaceId = (await service.keys.list('acme'))[0]?.workspaceId ?? ''
  const text = (value: string | undefined) => (value === undefined ? 'NULL' : `'${value}'`)
  const log = (rows: Row[], workspace = workspaceId) =>
    elsewhere.run(
      `INSERT INTO request_log (workspace_id, key_id, number, at, request_id, operation, tool, arguments, status, code, refused,
         outcome, ms, bytes, address, agent, omitted) VALUES ${rows
           .map(({ key, minutes, id, tool, names, status = 200, code, refused, omitted = 0 }) => {
             const outcome = refused !== undefined ? 'refused' : status >= 400 ? 'failed' : 'ok'
             const operation = tool === undefined ? 'GET /tasks' : 'POST /v2/mcp'
             return `('${workspace}', '${key}', 1, '${at(minutes)}', '${id}', '${operation}', ${text(tool)}, ${text(names)}, ${status},
               ${text(code)}, ${text(refused)}, '${outcome}', 1.6, 1234, '203.0.113.7', 'agent/${id}', ${omitted})`
           })
           .join(', ')}`,
    )
  const { id } = await service.createKey({ label: 'Nightly' })
  return { service, browser: await signedIn(service), log, id }
}

/** The ids of the requests that a page shows, in its order. */
const idsIn = ({ text }: { text: string }) =>
  [...text.matchAll(/data-name="Caller"><bdi>agent\/(r\d+)</g)].map(([, id]) => id)

test('it shows what a key requested at 12:03, and why it was refused', async (t) => {
  const { service, browser, log, id } = await start(t)
  const other = await service.createKey({ label: 'Nightly' })
  await log([
    { key: id, minutes: 1, id: 'r1' },
    { key: other.id, minutes: 2, id: 'r2', tool: 'list_tasks', names: 'dueBefore,limit' },
    { key: id, minutes: 3, id: 'r3', status: 429, code: 'rate_limited', refused: 'over_quota', omitted: 7 },
    { key: id, minutes: 4, id: 'r4', status: 500, code: 'internal_error' },
  ])
  const all = await browser.get(REQUESTS)
  assert.deepEqual(idsIn(all), ['r4', 'r3', 'r2', 'r1'])
  const shown = textOf(all.text)
  assert.match(
    shown,
    /15 Nov 2026 .* 200 ?12:02:00 ?(list_tasks ?){2} dueBefore, limit ?Nightly vtr_\w{6}… ?2 ms ?agent\/r2/,
  )
  assert.match(shown, /429 over its limit/)
  assert.match(shown, /7 requests with this key after this one are missing: there were too many at once/)
  assert.match(shown, /values and all bodies are never stored/)
  assert.match(shown, /newest 1,000 requests for at most 7 days/)
  assert.equal(new Set(shown.match(/Nightly vtr_\w{6}…/g)).size, 2, 'two keys of one label differ')
  assert.deepEqual(idsIn(await browser.get(`${KEYS}/${id}/requests`)), ['r4', 'r3', 'r1'])
  assert.match(all.text, new RegExp(`<option value="${other.id}">Nightly`))
  const ofOther = await browser.get(`${REQUESTS}?key=${other.id}`)
  assert.deepEqual(idsIn(ofOther), ['r2'])
  assert.match(ofOther.text, new RegExp(`<option value="${other.id}" selected>Nightly`))
  const exported = await browser.get(`${REQUESTS}.csv?key=${other.id}`)
  assert.equal(parse(exported.text, { columns: true }).length, 1)
  const [, , link = ''] = all.text.match(/href="[^"]*request=\d+#request"/g) ?? []
  const opened = (await browser.get(link.slice('href="'.length, -'#request"'.length))).text
  const [, row = ''] = /<a class="quiet" href="[^"]*#(r\d+)">Close/.exec(opened) ?? []
  assert.match(opened, new RegExp(`<tbody class="open">.*<span id="${row}" tabindex="-1"><a [^>]*#${row}">list_tasks`))
  const open = textOf(opened)
  const parts = ['Tool list_tasks', 'Arguments dueBefore, limit', 'Caller agent/r2', 'Address 203.0.113.7', 'Id r2']
  for (const part of [...parts, 'Response 1,234 bytes', 'Time 15 Nov 2026, 12:02:00'])
    assert.ok(open.replace(/\s+/g, ' ').includes(part), part)
  const found = async (query: string) => idsIn(await browser.get(`${REQUESTS}?${query}`))
  assert.deepEqual(await found('outcome=refused'), ['r3'])
  assert.deepEqual(await found('outcome=failed'), ['r4'])
  assert.deepEqual(await found('from=2026-11-15T12:02&to=2026-11-15T12:03'), ['r3', 'r2'], 'both minutes are included')
  for (const [q, id] of Object.entries({ R3: 'r3', 429: 'r3', over_quota: 'r3', list_tasks: 'r2', '/v2/mcp': 'r2' }))
    assert.deepEqual(await found(`q=${encodeURIComponent(q)}`), [id], q)
  assert.deepEqual(await found('q=r9'), [])
})

test("a request is found by its response's id, a moment after it was sent", async (t) => {
  const { service, browser } = await start(t)
  const { token } = await service.createKey({ label: 'agent', permissions: ['tasks:read'] })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' }
  const sent = await fetch(`${service.url}/workspace`, { headers })
  assert.equal(sent.status, 403)
  const call = { name: 'list_tasks', arguments: { limit: 3, assigneeEmail: 'secret@acme.example' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const called = await fetch(`${service.url}/v2/mcp`, { method: 'POST', headers, body })
  await called.text()
  const find = async (response: Response) =>
    textOf((await browser.get(`${REQUESTS}?q=${response.headers.get('x-request-id')}`)).text)
  await waitUntil(async () => /403 not permitted.*GET \/workspace.* agent vtr_/.test(await find(sent)))
  await waitUntil(async () => /list_tasks assigneeEmail, limit/.test(await find(called)))
  assert.doesNotMatch(await find(called), /secret@acme/)
})

testOnce('times are in the workspace’s timezone, also when the clocks change', async (t) => {
  const { service, browser, log, id } = await start(t)
  await changeElsewhere(service.databaseUrl, `UPDATE workspaces SET timezone = 'America/New_York' WHERE slug = 'acme'`)
  await log([{ key: id, minutes: 0, id: 'r1' }])
  assert.match(textOf((await browser.get(REQUESTS)).text), /07:00:00/)
  assert.deepEqual(idsIn(await browser.get(`${REQUESTS}?from=2026-11-15T07:00&to=2026-11-15T07:00`)), ['r1'])
  assert.deepEqual(idsIn(await browser.get(`${REQUESTS}?from=2026-11-15T07:01`)), [])
})

test('pages are keyset pages, and an export has all of them', async (t) => {
  const { browser, log, id } = await start(t)
  const rows = Array.from({ length: 95 }, (_, index) => ({ key: id, minutes: index, id: `r${index}` }))
  await log(rows)
  const newestFirst = rows.map((row) => row.id).reverse()
  const pages: (string | undefined)[][] = []
  for (let path: string | undefined = `${KEYS}/${id}/requests`; path !== undefined; ) {
    const page = await browser.get(path)
    pages.push(idsIn(page))
    path = /rel="next" href="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&')
    // What is added meanwhile moves nothing.
    await log([{ key: id, minutes: 200, id: `r${1000 + pages.length}` }])
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [25, 25, 25, 20],
  )
  assert.deepEqual(pages.flat(), newestFirst)
  const csv = await browser.get(`${KEYS}/${id}/requests.csv?to=2026-11-15T14:00`)
  assert.match(
    csv.headers['content-disposition'] ?? '',
    new RegExp(`^attachment; filename="${id}-requests-2026-11-15.csv"$`),
  )
  const records = parse(csv.text, { columns: true }) as Record<string, string>[]
  assert.deepEqual(
    records.map(({ requestId }) => requestId),
    newestFirst,
  )
  assert.deepEqual(records[0], {
    ...{ at: at(94), requestId: 'r94', keyId: id, operation: 'GET /tasks', tool: '', arguments: '', status: '200' },
    ...{ code: '', refused: '', ms: '1.6', bytes: '1234', address: '203.0.113.7', agent: 'agent/r94', omitted: '0' },
  })
  const lines = (await browser.get(`${REQUESTS}.ndjson?q=r94`)).text.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).requestId),
    ['r94'],
  )
})

testOnce('a pasted key reaches no URL, and a wrong filter is explained', async (t) => {
  const { service, browser } = await start(t)
  const csrf = fieldOf(await browser.get(REQUESTS), 'csrf')
  const posted = await browser.post(REQUESTS, { csrf, q: service.key, outcome: 'refused', from: '', to: '' })
  assert.equal(posted.headers.location, `${REQUESTS}?outcome=refused&q=vtr_%5Bredacted%5D`)
  const explained = await browser.get(posted.headers.location ?? '')
  assert.equal(explained.status, 400)
  assert.match(textOf(explained.text), /This contains a key/)
  for (const query of [
    'from=2026-02-30T00:00',
    'to=noon',
    'from=2026-11-15T10:00&to=2026-11-15T09:00',
    'outcome=x',
    'before=x',
    'request=x',
  ])
    assert.equal((await browser.get(`${REQUESTS}?${query}`)).status, 400, query)
  assert.equal((await browser.get(`${REQUESTS}.csv?from=never`)).status, 400)
})

test('members and other workspaces see nothing of it', async (t) => {
  const { service, log, id } = await start(t)
  await log([{ key: id, minutes: 1, id: 'r1' }])
  const member = await signedIn(service, 'member', 'sam@acme.example')
  const own = `${KEYS}/${id}/requests`
  for (const path of [REQUESTS, `${REQUESTS}.csv`, own, `${own}.ndjson`])
    assert.equal((await member.get(path)).status, 403, path)
  assert.doesNotMatch((await member.get('/settings/workspaces/acme/members')).text, /\/requests"/)
  await createBareWorkspace(service, 'other')
  const [theirs] = await service.keys.list('other')
  await log([{ key: theirs?.id ?? '', minutes: 1, id: 'r2' }], theirs?.workspaceId)
  const owner = await signedIn(service)
  assert.deepEqual(idsIn(await owner.get(REQUESTS)), ['r1'])
  assert.match(textOf((await owner.get(`${REQUESTS}?request=2`)).text), /no longer in the log/)
  assert.equal((await owner.get(`${KEYS}/${theirs?.id}/requests.csv`)).status, 404)
})
