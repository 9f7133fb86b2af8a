import assert from 'node:assert/strict'
import { assertHeaders, assertProblem, jsonBody, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { changeElsewhere } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { testWith } from '../support/test-with.ts'
import { createBareWorkspace, setArchived } from '../support/workspaces.ts'

const test = testWith(startContractService)

test("GET /workspace returns the key's workspace, field by field", async ({ get }) => {
  const response = await get('/workspace')
  assert.equal(response.status, 200)
  const { id } = (response.json as { workspace: { id: string } }).workspace
  assert.match(id, /^ws_\w+$/)
  assert.equal(
    response.text,
    `{"workspace":{"id":"${id}","name":"Acme Buying","slug":"acme","timezone":"Europe/London","currencyCode":"GBP","countryCode":"GB"}}`,
  )
})

test('unset defaults are null, never left out', async (service) => {
  const { key } = await createBareWorkspace(service)
  const response = await service.get('/workspace', { authorization: `Bearer ${key}` })
  assert.deepEqual(response.json, {
    workspace: {
      id: 'ws_bare',
      name: 'The bare workspace',
      slug: 'bare',
      timezone: null,
      currencyCode: null,
      countryCode: null,
    },
  })
})

for (const path of ['/workspace', '/tasks']) {
  const headersOf = (full: HttpResponse, remaining: number) => ({
    ...jsonBody(full),
    'cache-control': 'private, no-cache',
    etag: full.headers.etag ?? '',
    ...window(remaining),
  })

  test.once(`a 200 of ${path} has exactly the headers that are promised`, async ({ get, addTasks }) => {
    await addTasks([{ id: 'ü' }])
    const response = await get(path)
    assertHeaders(response, headersOf(response, 599))
  })

  test.once(`HEAD ${path} returns the headers of GET and no body`, async ({ get, send, key, addTasks }) => {
    await addTasks([{ id: 'a' }, { id: 'b' }])
    const full = await get(path)
    const head = await send(path, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
    assertHeaders(head, headersOf(full, 598))
  })
}

test.once('every response has its own request id', async ({ get }) => {
  const responses = await Promise.all([get('/workspace'), get('/workspace'), get('/workspace')])
  assert.equal(new Set(responses.map(({ headers }) => headers['x-request-id'])).size, 3)
})

test.once('a query string is ignored', async ({ get }) => {
  const plain = await get('/workspace')
  const asked = await get('/workspace?fields=name&%zz=1')
  assert.equal(asked.status, 200)
  assert.equal(asked.text, plain.text)
})

test('an archived workspace is 404 workspace_not_found, and available again once restored', async (service) => {
  const before = await service.get('/workspace')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  const gone = await service.get('/workspace')
  assertProblem(gone, 404, 'workspace_not_found', { ...window(598) })
  await setArchived(service, null)
  const back = await service.get('/workspace')
  assert.equal(back.status, 200)
  assert.equal(back.text, before.text)
})

test('an archived workspace is 404 even for a client that has its ETag', async (service) => {
  const { headers } = await service.get('/workspace')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  assertProblem(await service.get('/workspace', { 'if-none-match': headers.etag ?? '' }), 404, 'workspace_not_found')
})

test('a key outlives its workspace: a deleted one is 404 workspace_not_found', async ({ get, databaseUrl }) => {
  assert.equal((await get('/workspace')).status, 200)
  await changeElsewhere(databaseUrl, "DELETE FROM workspaces WHERE slug = 'acme'")
  assertProblem(await get('/workspace'), 404, 'workspace_not_found')
})
