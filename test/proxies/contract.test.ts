// Run once: proxies only use HTTP.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { bearer, contractTools, textOf } from '../clients/fixture.ts'
import { hasOpenssl } from '../support/certificates.ts'
import { exchange, type HttpResponse, type Sent } from '../support/exchange.ts'
import { skipWithout } from '../support/installed-program.ts'
import { modernHeaders, modernRequest } from '../support/modern-client.ts'
import { linkFor } from '../support/person.ts'
import { type ProxyName, proxyNames, type RunningProxy, startProxy } from '../support/proxies.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
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

/** One of each kind of response that Vitrine sends. The key is added unless the request has one. */
const requests: [name: string, path: string, sent?: Sent][] = [
  ['the workspace', '/workspace'],
  ['the tasks', '/tasks'],
  ['a query', '/tasks?limit=5'],
  ['a doubled and an encoded slash', '/nothing//here%2Fat/all?x=1'],
  ['a path that nginx uses itself', '/_problem/not_ready'],
  ['a trailing slash', '/tasks/'],
  ['upper case', '/Tasks'],
  ['HEAD', '/tasks', { method: 'HEAD' }],
  ['OPTIONS', '/tasks', { method: 'OPTIONS' }],
  ['OPTIONS of MCP', '/mcp', { method: 'OPTIONS' }],
  ['a method that is not allowed', '/tasks', { method: 'DELETE' }],
  ['GET of MCP', '/mcp'],
  ['no key', '/tasks', { headers: { authorization: '' } }],
  ['a wrong key', '/workspace', { headers: { authorization: 'Bearer vtr_nonsense' } }],
  ['a foreign origin', '/mcp', rpc(toolsList, { origin: 'https://evil.example' })],
  ['no JSON', '/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }],
  ['MCP', '/mcp', rpc(toolsList)],
  ['MCP at /v1', '/v1/mcp', rpc(toolsList)],
  ['a notification', '/mcp', rpc({ jsonrpc: '2.0', method: 'notifications/initialized' })],
  ['MCP of 2026', '/v2/mcp', rpc(modernRequest('tools/list'), modernHeaders('tools/list'))],
  [
    'a tool of MCP of 2026',
    '/v2/mcp',
    rpc(modernRequest('tools/call', { name: 'get_workspace' }), modernHeaders('tools/call', 'get_workspace')),
  ],
  ['a wrong header of MCP of 2026', '/v2/mcp', rpc(modernRequest('tools/list'), modernHeaders('ping'))],
  ['the OpenAPI document', '/openapi.json'],
  ['readiness', '/readyz'],
  ['a page', '/problems/not_ready', { headers: { accept: 'text/html' } }],
  ['a redirect to sign in', '/settings', { headers: { accept: 'text/html' } }],
]

const form = (body: string): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

/** What a client that a person connects by signing in asks for, up to the person's part. */
const connecting: [path: string, sent?: Sent][] = [
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

test('a client finds its way to signing in through each proxy of the guides', skip, async (t) => {
  const { service, proxies } = await startWorld(t, { PUBLIC_URL: 'https://v.example' })
  for (const name of proxyNames)
    for (const [path, sent] of connecting) {
      const direct = comparable(await exchange(service.url, path, sent))
      assert.deepEqual(comparable(await overHttp2(proxies[name], path, sent)), direct, `${name}: ${path}, HTTP/2`)
      assert.deepEqual(comparable(await overHttp1(proxies[name], path, sent)), direct, `${name}: ${path}, HTTP/1.1`)
    }
})

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

    await t.test(`${name}: every kind of response passes unchanged`, async () => {
      for (const [what, path, sent] of requests) {
        const direct = comparable(await exchange(service.url, path, withKey(sent)))
        assert.deepEqual(comparable(await overHttp2(proxy, path, withKey(sent))), direct, `${what}, HTTP/2`)
        assert.deepEqual(comparable(await overHttp1(proxy, path, withKey(sent))), direct, `${what}, HTTP/1.1`)
      }
    })

    await t.test(`${name}: a key over its quota gets the problem with all of its headers`, async () => {
      const { token } = await service.createKey({ quota: { limit: 1, windowSeconds: 60 } })
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await overHttp2(proxy, '/tasks', { headers })).status, 200)
      const refused = await overHttp2(proxy, '/tasks', { headers })
      assertOwnProblem(refused, 429, 'rate_limited')
      assert.equal(refused.headers['retry-after'], '60')
      assert.equal(refused.headers['ratelimit-remaining'], '0')
    })

    await t.test(`${name}: a response is compressed on request, and its ETag gets 304 either way`, async () => {
      const plain = await get('/tasks')
      const compressed = await get('/tasks', { 'accept-encoding': 'gzip' })
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(compressed.headers['content-encoding'], 'gzip')
      assert.match(compressed.headers.vary ?? '', /accept-encoding/i)
      assert.equal(gunzipSync(compressed.body).toString(), plain.text)
      assert.ok(compressed.body.length * 5 < plain.body.length)
      for (const { headers } of [plain, compressed])
        for (const coding of [{}, { 'accept-encoding': 'gzip' }]) {
          const again = await get('/tasks', { 'if-none-match': headers.etag ?? '', ...coding })
          assert.equal(again.status, 304, headers.etag)
          assert.equal(again.body.length, 0)
        }
    })

    await t.test(`${name}: only Vitrine compresses pages, because it knows those that show a key`, async () => {
      const accepts = { 'accept-encoding': 'gzip', accept: 'text/html' }
      const open = await get('/settings/sign-in', accepts)
      const { pathname, search } = new URL(await linkFor(service, 'owner@acme.example'))
      const secret = await get(pathname + search, accepts)
      assert.deepEqual([open.status, secret.status], [200, 200])
      assert.equal(open.headers['content-encoding'], 'gzip')
      assert.equal(secret.headers['content-encoding'], undefined)
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

    await t.test(`${name}: an MCP client connects, lists the tools and calls one`, async () => {
      trust(proxy)
      const client = new Client({ name: 'test', version: '1' })
      const requestInit = { headers: bearer(service.key) }
      const transport = new StreamableHTTPClientTransport(new URL('/v2/mcp', proxy.url), { requestInit })
      await client.connect(transport as Transport)
      assert.deepEqual((await client.listTools()).tools, contractTools)
      const text = textOf(await client.callTool({ name: 'list_tasks' }))
      await client.close()
      assert.equal(text, (await get('/tasks')).text)
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

/** For `fetch`, which cannot be given a certificate. */
function trust({ caFile }: RunningProxy): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
}
