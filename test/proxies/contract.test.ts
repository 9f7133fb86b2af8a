import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hasOpenssl } from '../support/certificates.ts'
import { exchange, type HttpResponse, type Sent } from '../support/exchange.ts'
import { skipWithout } from '../support/installed-program.ts'
import { modernHeaders, modernRequest } from '../support/modern-client.ts'
import { linkFor } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { type ProxyName, proxyNames, type RunningProxy, startProxy } from './proxies.ts'
import { overHttp1, overHttp2 } from './through.ts'

const MIB = 1024 * 1024
/** In the form of a sign-in link's token. */
const SECRET = 'S'.repeat(43)

/** Of the connection or of the moment, or added by the proxy: everything else must come through as it was. */
const NOT_COMPARED = [
  ...['connection', 'keep-alive', 'date', 'server', 'alt-svc', 'vary', 'transfer-encoding', 'content-length'],
  ...['x-request-id', 'ratelimit-remaining', 'ratelimit-reset'],
]

function comparable({ status, headers, text }: HttpResponse) {
  const kept = Object.entries(headers).filter(([name]) => !NOT_COMPARED.includes(name))
  const body = text.replace(/"urn:uuid:[^"]+"/, '"urn:uuid"').replace(/"asOf":"[^"]+"/, '"asOf"')
  return { status, headers: Object.fromEntries(kept.sort()), body }
}

const rpc = (message: object, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(message),
})
const toolsList = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const form = (body: string): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

/** `vitrine check` asks for the rest of the contract: see check.test.ts. */
const requests: [path: string, sent?: Sent][] = [
  ['/tasks', { method: 'HEAD' }],
  ['/tasks', { method: 'DELETE' }],
  ['/nothing//here%2Fat/all?x=1'],
  ['/_problem/not_ready'],
  ['/readyz'],
  ['/problems/not_ready', { headers: { accept: 'text/html' } }],
  ['/settings', { headers: { accept: 'text/html' } }],
  ['/v2/mcp', rpc(modernRequest('tools/list'), modernHeaders('ping'))],
  ['/v2/mcp', rpc(toolsList)],
  ['/.well-known/oauth-protected-resource/v2/mcp'],
  ['/.well-known/oauth-authorization-server'],
  ['/.well-known/openid-configuration'],
  ['/oauth/register', rpc({ redirect_uris: [] })],
  ['/oauth/token', form('grant_type=authorization_code&client_id=x&code=x&code_verifier=x')],
  ['/oauth/token', { headers: { accept: '*/*' } }],
  ['/oauth/revoke', form('token=x')],
]

/** A proxy's own responses are problems as well, with a code of the catalogue. */
function assertOwnProblem({ status, headers, json, text }: HttpResponse, expected: number, code: string): void {
  assert.equal(status, expected, text)
  assert.equal(headers['content-type'], 'application/problem+json')
  const { type, status: inBody, code: given } = json as Record<string, unknown>
  assert.deepEqual({ type, inBody, given }, { type: `/problems/${code}`, inBody: expected, given: code })
}

interface World {
  service: Service
  proxies: Record<ProxyName, RunningProxy>
}

async function startWorld(t: TestContext, env = {}): Promise<World> {
  const service = await startService(t, { env: { TRUST_PROXY: '1', RATE_LIMIT: '10000;w=60', ...env } })
  const details = 'A long text, so that the answer is worth compressing. '.repeat(100)
  await service.addTasks([{ id: 'a', title: 'Ring Löwe & Söhne', details }])
  const port = Number(new URL(service.url).port)
  const started = await Promise.all(proxyNames.map(async (name) => [name, await startProxy(name, [port])] as const))
  t.after(() => Promise.all(started.map(([, proxy]) => proxy.stop())))
  return { service, proxies: Object.fromEntries(started) as World['proxies'] }
}

const skip = hasOpenssl ? skipWithout(...proxyNames) : { skip: 'no openssl' }

test(
  'responses pass each proxy of the guides unchanged, also to a client that finds its way to signing in',
  skip,
  async (t) => {
    const { service, proxies } = await startWorld(t, { PUBLIC_URL: 'https://v.example' })
    for (const name of proxyNames)
      for (const [path, given] of requests) {
        const sent = { ...given, headers: { authorization: `Bearer ${service.key}`, ...given?.headers } }
        const direct = comparable(await exchange(service.url, path, sent))
        assert.deepEqual(comparable(await overHttp2(proxies[name], path, sent)), direct, `${name}: ${path}, HTTP/2`)
        assert.deepEqual(comparable(await overHttp1(proxies[name], path, sent)), direct, `${name}: ${path}, HTTP/1.1`)
      }
  },
)

test('the contract holds through each proxy of the guides', skip, async (t) => {
  const { service, proxies } = await startWorld(t)
  await service.addMember('owner@acme.example', 'owner')
  const withKey = (sent: Sent = {}): Sent => ({
    ...sent,
    headers: { authorization: `Bearer ${service.key}`, ...sent.headers },
  })
  for (const name of proxyNames) {
    const proxy = proxies[name]
    const get = (path: string, headers: Record<string, string> = {}) => overHttp2(proxy, path, withKey({ headers }))

    await t.test(`${name}: a key over its quota gets the problem with all of its headers`, async () => {
      const { token } = await service.createKey({ quota: { limit: 1, windowSeconds: 60 } })
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await overHttp2(proxy, '/tasks', { headers })).status, 200)
      const refused = await overHttp2(proxy, '/tasks', { headers })
      assertOwnProblem(refused, 429, 'rate_limited')
      assert.equal(refused.headers['retry-after'], '60')
      assert.equal(refused.headers['ratelimit-remaining'], '0')
    })

    await t.test(`${name}: no page of the settings is compressed, because it may show a key`, async () => {
      const { pathname, search } = new URL(await linkFor(service, 'owner@acme.example'))
      const page = await get(pathname + search, { 'accept-encoding': 'gzip', accept: 'text/html' })
      assert.deepEqual([page.status, page.headers['content-encoding']], [200, undefined])
    })

    await t.test(`${name}: bodies up to 1 MiB pass, and larger ones get Vitrine's problem`, async () => {
      const padded = (length: number) => {
        const text = JSON.stringify(toolsList)
        return text + ' '.repeat(length - text.length)
      }
      const post = (body: string) => withKey({ ...rpc({}), body })
      for (const over of [overHttp1, overHttp2]) {
        assert.equal((await over(proxy, '/mcp', post(padded(MIB)))).status, 200)
        assertOwnProblem(await over(proxy, '/mcp', post(padded(MIB + 1))), 400, 'payload_too_large')
        assertOwnProblem(await over(proxy, '/mcp', post(padded(3 * MIB))), 400, 'payload_too_large')
      }
    })

    await t.test(`${name}: headers over 16 KiB get Vitrine's problem`, async () => {
      for (const over of [overHttp1, overHttp2]) {
        const ask = (length: number) => over(proxy, '/tasks', withKey({ headers: { 'x-large': 'x'.repeat(length) } }))
        assert.equal((await ask(14_000)).status, 200)
        assertOwnProblem(await ask(17_000), 431, 'headers_too_large')
      }
    })

    await t.test(`${name}: Vitrine sees the client’s address, whatever the client claims`, async () => {
      const before = service.logLines.length
      await get('/tasks', { 'x-forwarded-for': '203.0.113.7' })
      await get('/tasks', { 'x-forwarded-for': '203.0.113.7, 203.0.113.8' })
      await waitUntil(() => service.logLines.slice(before).filter((line) => line.includes('/tasks')).length >= 2)
      const lines = service.logLines.slice(before).join('')
      assert.doesNotMatch(lines, /203\.0\.113/)
      assert.match(lines, /"127\.0\.0\.1"/)
    })

    await t.test(`${name}: HTTP is redirected to HTTPS with 308, so that a POST stays a POST`, async () => {
      for (const method of ['GET', 'POST']) {
        const { status, headers } = await exchange(proxy.plainUrl, '/mcp?x=1', { method })
        assert.equal(status, 308)
        assert.match(headers.location ?? '', /^https:\/\/127\.0\.0\.1(:\d+)?\/mcp\?x=1$/)
      }
    })

    await t.test(`${name}: the log has neither keys nor the queries of sign-in links`, async () => {
      await get(`/settings/sign-in/link?token=${SECRET}`, { accept: 'text/html' })
      await waitUntil(() => proxy.log().includes('/settings/sign-in/link'))
      assert.ok(!proxy.log().includes(SECRET))
      assert.ok(!proxy.log().includes(service.key))
    })
  }

  await t.test('a proxy that reaches no server responds with a problem to retry', async () => {
    await service.stop()
    await Promise.all(
      proxyNames.map(async (name) => {
        const paths = ['/tasks', `/settings/sign-in/link?token=${SECRET}`]
        const all = [overHttp1, overHttp2].flatMap((over) => paths.map((path) => over(proxies[name], path, withKey())))
        for (const response of await Promise.all(all)) {
          assertOwnProblem(response, 503, 'not_ready')
          assert.equal(response.headers['retry-after'], '1', name)
        }
        // The token of such a link was not used, so it would be useful to anyone who reads the log.
        assert.ok(!proxies[name].log().includes(SECRET), name)
      }),
    )
  })
})
