import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { sendRaw } from '../support/raw.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const FULL = {
  LIFECYCLE: JSON.stringify({
    '/v1/mcp': {
      deprecation: '2096-11-01T00:00:00Z',
      sunset: '2097-03-01T09:30:00+01:00',
      link: 'https://vitrine.example/changes/v2',
    },
  }),
}

/** Unless another link is given. */
const GUIDE = '</docs/rest#how-the-api-changes>; rel="deprecation"'

const lifecycleOf = ({ headers }: HttpResponse) =>
  Object.fromEntries(
    ['deprecation', 'sunset', 'link'].flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
  )

const DEPRECATED = {
  deprecation: '@4002566400',
  sunset: 'Fri, 01 Mar 2097 08:30:00 GMT',
  link: '<https://vitrine.example/changes/v2>; rel="deprecation"',
}

const deprecatedTest = testWith((t) => startContractService(t, { env: FULL }))

test('every response of a deprecated path announces it, errors included', async (t) => {
  const { rpc, send, url } = await startContractService(t, { env: { ...FULL, RATE_LIMIT: '3;w=60' } })
  const responses = [
    await rpc({ jsonrpc: '2.0', method: 'notifications/initialized' }, {}, '/v1/mcp'),
    await rpc('not JSON', {}, '/v1/mcp'),
    await rpc(PING, { origin: 'https://evil.example' }, '/v1/mcp'),
    await rpc(PING, {}, '/v1/mcp'),
    await send('/v1/mcp', { method: 'POST' }),
    await send('/v1/mcp'),
    await sendRaw(url, 'POST /v1/mcp HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n'),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [202, 400, 403, 429, 401, 405, 400],
  )
  for (const response of responses) assert.deepEqual(lifecycleOf(response), DEPRECATED, `${response.status}`)
})

deprecatedTest('no other path announces it', async ({ rpc, get, send }) => {
  const responses = [
    await rpc(PING),
    await get('/workspace'),
    await get('/tasks'),
    await send('/mcp'),
    await send('/v1'),
  ]
  responses.push(await send('/openapi.json'), await send('/healthz'))
  for (const response of responses) assert.deepEqual(lifecycleOf(response), {})
})

test('a REST path can be deprecated with only a date', async (t) => {
  const { get, send } = await startContractService(t, {
    env: { LIFECYCLE: '{"/tasks": {"deprecation": "2026-12-24T18:00:00.999Z"}}' },
  })
  const { etag = '' } = (await get('/tasks')).headers
  const responses = [await get('/tasks'), await get('/tasks', { 'if-none-match': etag }), await send('/tasks')]
  responses.push(await send('/tasks', { method: 'POST' }), await send('/tasks', { method: 'OPTIONS' }))
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 304, 401, 405, 204],
  )
  for (const response of responses) assert.deepEqual(lifecycleOf(response), { deprecation: '@1798135200', link: GUIDE })
  assert.deepEqual(lifecycleOf(await get('/workspace')), {})
})

deprecatedTest('a deprecated path is marked in the OpenAPI document, and no other is', async ({ send }) => {
  const { paths } = (await send('/openapi.json')).json as { paths: Record<string, Record<string, object>> }
  const deprecated = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) => ('deprecated' in operation ? [[path, operation.deprecated]] : [])),
  )
  assert.deepEqual(deprecated, [['/v1/mcp', true]])
})

test('a sunset less than 90 days after the deprecation stops the start', async (t) => {
  const LIFECYCLE = '{"/mcp":{"deprecation":"2096-11-01T00:00:00Z","sunset":"2097-01-29T23:59:59Z"}}'
  await assert.rejects(startContractService(t, { env: { LIFECYCLE } }), {
    name: 'UserError',
    message: 'LIFECYCLE: /mcp has a sunset less than 90 days after its deprecation',
  })
})
