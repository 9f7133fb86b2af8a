// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertHeaders, assertMcpProblem, assertProblem, POLICY } from '../support/assertions.ts'
import { openRaw } from '../support/raw.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']
const UNUSUAL = ['PROPFIND', 'TRACE', 'QUERY', 'MKCOL', 'LOCK', 'M-SEARCH', 'PURGE', 'REPORT']

for (const path of ['/workspace', '/tasks']) {
  test(`${path} is read-only: every other method is 405 with Allow`, async ({ send, key }) => {
    for (const method of [...WRITES, ...UNUSUAL]) {
      const response = await send(path, { method, headers: { authorization: `Bearer ${key}` } })
      assertProblem(response, 405, 'method_not_allowed', { allow: 'GET, HEAD', ...POLICY })
    }
  })

  test(`OPTIONS ${path} returns 204 with Allow, without a key and without CORS headers`, async ({ send }) => {
    const preflight = {
      origin: 'https://app.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    for (const headers of [{}, preflight]) {
      const response = await send(path, { method: 'OPTIONS', headers })
      assert.equal(response.status, 204)
      assert.equal(response.body.length, 0)
      assertHeaders(response, { allow: 'GET, HEAD', 'ratelimit-limit': '600', 'ratelimit-policy': '600;w=60' })
    }
  })

  test(`${path} sends no CORS header, whatever the origin`, async ({ get }) => {
    for (const origin of ['https://app.example', 'http://localhost:5173', 'null']) {
      const response = await get(path, { origin })
      assert.equal(response.status, 200)
      assert.deepEqual(
        Object.keys(response.headers).filter((name) => name.startsWith('access-control')),
        [],
      )
    }
  })
}

for (const path of ['/mcp', '/v1/mcp', '/v2/mcp']) {
  test(`${path} accepts only POST: everything else is 405, including OPTIONS and HEAD`, async ({ send, key }) => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', ...UNUSUAL]) {
      const response = await send(path, { method, headers: { authorization: `Bearer ${key}` } })
      assertMcpProblem(response, 405, 'method_not_allowed', { allow: 'POST', ...POLICY })
    }
    const head = await send(path, { method: 'HEAD' })
    assert.equal(head.status, 405)
    assert.equal(head.headers.allow, 'POST')
    assert.equal(head.headers['content-type'], 'application/problem+json')
    assert.equal(head.body.length, 0)
  })

  test(`GET ${path} opens no event stream`, async ({ send, key }) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': 'x' }
    assertMcpProblem(await send(path, { headers }), 405, 'method_not_allowed')
  })
}

test('a wrong method is reported before the key is checked', async ({ send }) => {
  for (const headers of [{}, { authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
    assertProblem(await send('/workspace', { method: 'PUT', headers }), 405, 'method_not_allowed')
    for (const path of ['/mcp', '/v2/mcp'])
      assertMcpProblem(await send(path, { method: 'GET', headers }), 405, 'method_not_allowed')
  }
})

test('a wrong method is reported before the body arrives', async ({ url }) => {
  for (const request of ['POST /workspace', 'PUT /tasks', 'PUT /mcp']) {
    const connection = await openRaw(url)
    connection.write(`${request} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`)
    assert.equal((await connection.next()).status, 405)
    connection.socket.destroy()
  }
})

test('the pages outside the API are read-only too', async ({ send }) => {
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/problems/unauthorized']) {
    for (const method of [...WRITES, 'PROPFIND', 'TRACE']) {
      const response = await send(path, { method })
      assertProblem(response, 405, 'method_not_allowed')
      assert.equal(response.headers.allow, 'GET, HEAD')
    }
  }
})
