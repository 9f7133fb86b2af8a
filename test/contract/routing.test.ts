import assert from 'node:assert/strict'
import { assertHeaders, assertMcpProblem, assertProblem, POLICY } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { openRaw } from '../support/raw.ts'

const test = testWith(sharedContractService)

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']
const UNUSUAL = ['PROPFIND', 'TRACE', 'QUERY', 'MKCOL', 'LOCK', 'M-SEARCH', 'PURGE', 'REPORT']

for (const path of ['/workspace', '/tasks']) {
  test(`${path} is read-only: every other method is 405 with Allow`, async ({ send, key }) => {
    for (const method of [...WRITES, ...UNUSUAL]) {
      const response = await send(path, { method, headers: { authorization: `Bearer ${key}`, 'x-secret': 's3cr3t' } })
      assertProblem(response, 405, 'method_not_allowed', { allow: 'GET, HEAD', ...POLICY })
      assert.ok(!response.text.includes('s3cr3t'), 'not even TRACE echoes anything')
    }
  })

  test(`OPTIONS ${path} returns 204 with Allow, without a key, and no response has CORS headers`, async ({
    send,
    get,
  }) => {
    const preflight = {
      origin: 'https://app.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    for (const headers of [{}, preflight]) {
      const response = await send(path, { method: 'OPTIONS', headers })
      assert.deepEqual([response.status, response.body.length], [204, 0])
      assertHeaders(response, { allow: 'GET, HEAD', ...POLICY })
    }
    for (const origin of ['https://app.example', 'http://localhost:5173', 'null']) {
      const { status, headers } = await get(path, { origin })
      assert.equal(status, 200)
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      )
    }
  })
}

test('the MCP paths accept only POST: everything else is 405, and none opens an event stream', async ({
  send,
  key,
}) => {
  for (const path of ['/mcp', '/v1/mcp', '/v2/mcp']) {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': 'x' }
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', ...UNUSUAL])
      assertMcpProblem(await send(path, { method, headers }), 405, 'method_not_allowed', { allow: 'POST', ...POLICY })
    const head = await send(path, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.allow, head.body.length], [405, 'POST', 0])
    assert.equal(head.headers['content-type'], 'application/problem+json')
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

test('an unknown path is a 404 problem for every method, with or without a key, and is not repeated', async ({
  send,
  get,
  key,
}) => {
  const nothing = await send('/nothing')
  assertProblem(nothing, 404, 'not_found', POLICY)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
    assertProblem(await send('/nothing', { method, headers: { authorization: `Bearer ${key}` } }), 404, 'not_found')
  const head = await send('/nothing', { method: 'HEAD' })
  assert.deepEqual([head.status, head.body.length], [404, 0])
  assert.doesNotMatch((await get('/%3Cscript%3Ealert(1)%3C/script%3E')).text, /script/)
})

const notOperations = [
  ...['/', '/workspace/', '/tasks/', '/tasks/task_1', '/Workspace', '/WORKSPACE', '/v1/workspace', '/v1/tasks'],
  ...['/mcp/', '/v1', '/v3/mcp', '/sse', '//workspace', '/./workspace', '/x/../workspace', '/workspace;v=1'],
  ...['/workspace%2F', '/workspace%00', '/api', '/api/workspace', '/api/tasks/1/complete', '/problems', '/healthz/'],
  ...['/openapi.yaml', '/constructor', '/__proto__', '/%F0%9F%91%9C', '/authorize', '/token'],
  // Discovery of OAuth, which needs a public URL.
  ...['oauth-authorization-server', 'oauth-protected-resource', 'openid-configuration'].map(
    (name) => `/.well-known/${name}`,
  ),
  ...['/.well-known/oauth-authorization-server/mcp', '/.well-known/oauth-protected-resource/v1/mcp'],
]
test('paths that look like operations are not operations, except in another percent-encoding', async ({
  get,
  send,
}) => {
  for (const path of notOperations) assertProblem(await get(path), 404, 'not_found')
  assertProblem(await send('/register', { method: 'POST', body: '{}' }), 404, 'not_found')
  for (const path of ['/%77orkspace', '/task%73?x=%']) assert.equal((await get(path)).status, 200)
})
