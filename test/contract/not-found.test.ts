// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertProblem, POLICY } from '../support/assertions.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

test('an unknown path is a 404 problem, with or without a key', async ({ send, get }) => {
  for (const response of [await send('/nothing'), await get('/nothing')]) {
    assertProblem(response, 404, 'not_found', { ...POLICY })
  }
})

test('OAuth discovery paths are 404', async ({ send }) => {
  const probes = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/v1/mcp',
    '/.well-known/openid-configuration',
    '/authorize',
    '/token',
  ]
  for (const path of probes) assertProblem(await send(path), 404, 'not_found')
  const registration = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  assertProblem(await send('/register', registration), 404, 'not_found')
})

test('paths that look like operations are not operations', async ({ get }) => {
  const paths = [
    '/',
    '/workspace/',
    '/tasks/',
    '/tasks/task_1',
    '/Workspace',
    '/WORKSPACE',
    '/v1/workspace',
    '/v1/tasks',
    '/mcp/',
    '/v1',
    '/v3/mcp',
    '/sse',
    '//workspace',
    '/./workspace',
    '/x/../workspace',
    '/workspace;v=1',
    '/workspace%2F',
    '/workspace%00',
    '/api/workspace',
    '/api/tasks/1/complete',
    '/api',
    '/problems',
    '/healthz/',
    '/openapi.yaml',
    '/constructor',
    '/__proto__',
    '/%F0%9F%91%9C',
  ]
  for (const path of paths) {
    const response = await get(path)
    assert.equal(response.status, 404, path)
    assertProblem(response, 404, 'not_found')
  }
})

test('an unknown path is 404 for every method', async ({ send, key }) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
    assertProblem(await send('/nothing', { method, headers: { authorization: `Bearer ${key}` } }), 404, 'not_found')
  const head = await send('/nothing', { method: 'HEAD' })
  assert.equal(head.status, 404)
  assert.equal(head.body.length, 0)
})

test('a path is the same however its letters are percent-encoded', async ({ get }) => {
  assert.equal((await get('/%77orkspace')).status, 200)
  assert.equal((await get('/task%73?x=%')).status, 200)
})

test('a 404 does not repeat the requested path', async ({ get }) => {
  const response = await get('/%3Cscript%3Ealert(1)%3C/script%3E')
  assertProblem(response, 404, 'not_found')
  assert.doesNotMatch(response.text, /script/)
})
