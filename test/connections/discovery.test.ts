import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import test from 'node:test'
import { resources as withOrders } from '../resources/declared/orders.ts'
import { assertHeaders, POLICY, problemBody } from '../support/assertions.ts'
import { exchange, type HttpResponse, type Sent } from '../support/exchange.ts'
import { startService } from '../support/service.ts'

const PUBLIC_URL = 'https://v.example'
const RESOURCE = '/.well-known/oauth-protected-resource/v2/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const METADATA = `resource_metadata="https://v.example${RESOURCE}", scope="workspace:read tasks:read"`

async function start(t: TestContext, options: Parameters<typeof startService>[1] = {}) {
  const { env = {}, ...others } = options
  const service = await startService(t, { env: { PUBLIC_URL, ...env }, ...others })
  return { ...service, send: (path: string, sent?: Sent) => exchange(service.url, path, sent) }
}

const call = (headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
})

const challengeIn = ({ status, headers }: HttpResponse) => {
  assert.equal(status, 401)
  return headers['www-authenticate']
}

test('the 401 of /v2/mcp names the metadata, on one line and by its full URL', async (t) => {
  const { send } = await start(t)
  assert.equal(challengeIn(await send('/v2/mcp', call())), `Bearer realm="vitrine", ${METADATA}`)
  const withToken = await send('/v2/mcp', call({ authorization: 'Bearer vtr_wrong' }))
  assert.equal(challengeIn(withToken), `Bearer realm="vitrine", ${METADATA}, error="invalid_token"`)
  const { code, hint } = withToken.json as Record<string, string>
  assert.equal(code, 'unauthorized')
  assert.match(hint ?? '', /Authorization: Bearer/)
})

test('the 401 of every other path is unchanged', async (t) => {
  const [on, off] = [await start(t), await start(t, { env: { CONNECT: 'off' } })]
  for (const authorization of [{}, { authorization: 'Bearer vtr_wrong' }])
    for (const path of ['/mcp', '/v1/mcp', '/workspace', '/tasks']) {
      const sent = path.endsWith('mcp') ? call(authorization) : { headers: authorization }
      const [now, before] = [await on.send(path, sent), await off.send(path, sent)]
      const bytes = ({ headers: { date, 'x-request-id': id, 'keep-alive': _, ...headers }, text }: HttpResponse) =>
        JSON.stringify([headers, text])
          .replaceAll(id ?? '', 'id')
          .replaceAll(date ?? '', 'date')
      assert.equal(bytes(now), bytes(before), path)
      assert.doesNotMatch(challengeIn(now) ?? '', /metadata|scope/)
    }
  assert.equal(challengeIn(await off.send('/v2/mcp', call())), 'Bearer realm="vitrine"')
})

test('a declared resource adds its permission to the metadata, but not to the scope that a 401 asks for', async (t) => {
  const { send } = await start(t, { resources: withOrders })
  for (const path of [RESOURCE, SERVER])
    assert.deepEqual((await send(path)).json, {
      ...((await send(path)).json as object),
      scopes_supported: ['workspace:read', 'tasks:read', 'orders:read'],
    })
  assert.match(challengeIn(await send('/v2/mcp', call())) ?? '', / scope="workspace:read tasks:read"$/)
})

const GUESSED = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/v1/mcp',
  '/.well-known/oauth-authorization-server/v2/mcp',
  '/.well-known/openid-configuration',
  '/register',
  '/authorize',
  '/token',
  '/oauth/introspect',
  '/oauth',
]

const OFF: [why: string, options: Parameters<typeof startService>[1]][] = [
  ['without PUBLIC_URL', { env: { PUBLIC_URL: '' } }],
  ['with a PUBLIC_URL that is plain http beyond this machine', { env: { PUBLIC_URL: 'http://v.example' } }],
  ['with CONNECT=off', { env: { CONNECT: 'off' } }],
  ['without the settings pages', { settingsStore: undefined }],
]

for (const [why, options] of OFF)
  test(`${why}, there is no OAuth, and each of its paths names the header that a client needs`, async (t) => {
    const { send } = await start(t, options)
    const paths = ['/oauth/authorize', '/oauth/register', '/oauth/token', '/oauth/revoke', RESOURCE, SERVER]
    for (const path of [...paths, ...GUESSED])
      for (const method of ['GET', 'POST']) {
        const response = await send(path, { method })
        assert.equal(response.status, 404, path)
        assertHeaders(response, { ...problemBody(response), ...POLICY })
        const { code, hint } = response.json as Record<string, string>
        assert.equal(code, 'not_found')
        assert.match(hint ?? '', /^There is no OAuth here\. .* "Authorization: Bearer <key>"/)
      }
    assert.equal(challengeIn(await send('/v2/mcp', call())), 'Bearer realm="vitrine"')
    const { hint } = (await send('/nothing')).json as Record<string, string>
    assert.equal(hint, 'See /openapi.json for the operations that exist.')
  })

test('a loopback URL is enough for a trial', async (t) => {
  const { send } = await start(t, { env: { PUBLIC_URL: 'http://localhost:3000' } })
  assert.equal(((await send(RESOURCE)).json as { resource: string }).resource, 'http://localhost:3000/v2/mcp')
})

test('with OAuth, the paths that clients guess lead to it', async (t) => {
  const { send } = await start(t)
  for (const path of GUESSED) {
    const response = await send(path, { method: 'POST' })
    const { code, hint } = response.json as Record<string, string>
    assert.deepEqual([response.status, code], [404, 'not_found'], path)
    assert.match(hint ?? '', /^OAuth is offered at \/v2\/mcp/)
    assert.match(hint ?? '', /\/\.well-known\/oauth-authorization-server/)
  }
})
