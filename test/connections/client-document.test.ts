import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ClientRegistry } from '../../src/connections/client-document.ts'
import { type Certificate, hasOpenssl, writeSelfSigned } from '../support/certificates.ts'
import { listenUntilEnd } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip = hasOpenssl ? false : 'openssl is not installed'
const ID = 'https://client.example/oauth/client.json'
const CALLER = '198.51.100.7'
const MINUTE = 60_000
const document = { client_id: ID, client_name: 'App', redirect_uris: ['https://client.example/cb'] }
const json = { 'content-type': 'application/json' }

let certificate: Certificate | undefined

type TestOverrides = NonNullable<NonNullable<ConstructorParameters<typeof ClientRegistry>[0]>['testOverrides']>

/** A server with a certificate for client.example, and clients that find it through `resolve`. */
async function serve(t: TestContext, listener: RequestListener, testOverrides: TestOverrides = {}, host = '127.0.0.1') {
  certificate ??= writeSelfSigned(temporaryFolder(t), 'DNS:client.example,DNS:*.client.example')
  const paths: string[] = []
  const server = createServer(certificate, (request, response) => {
    paths.push(request.url ?? '')
    listener(request, response)
  })
  const port = await listenUntilEnd(t, server, host)
  let now = Date.parse('2026-11-16T12:00:00Z')
  const resolved: string[] = []
  const resolve = async (name: string) => {
    resolved.push(name)
    return ['127.0.0.1']
  }
  const isAllowed = (address: string) => address === '127.0.0.1'
  const clients = new ClientRegistry({
    clock: () => now,
    testOverrides: { ca: certificate.cert, port, resolve, isAllowed, timeoutMs: 60_000, ...testOverrides },
  })
  const pass = (ms: number) => {
    now += ms
  }
  return { clients, paths, resolved, pass, port, find: (id = ID, address = CALLER) => clients.find(id, address) }
}

const send = (body: unknown, headers: Record<string, string> = json, status = 200) =>
  ((_, response) =>
    void response
      .writeHead(status, headers)
      .end(typeof body === 'string' ? body : JSON.stringify(body))) as RequestListener

const NOT_FETCHED = { name: 'OAuthError', code: 'invalid_client', message: /could not be fetched from client\.example/ }
const refused = (message: RegExp) => ({ name: 'OAuthError', code: 'invalid_client', message })

test('a client is what the document at its id describes', { skip }, async (t) => {
  let asked: Record<string, unknown> = {}
  const { find } = await serve(t, (request, response) => {
    asked = { method: request.method, url: request.url, ...request.headers }
    send(document)(request, response)
  })
  assert.deepEqual(await find(), {
    ...{ id: ID, name: 'App', redirectUris: ['https://client.example/cb'], documentHost: 'client.example' },
  })
  assert.equal(asked.method, 'GET')
  assert.equal(asked.url, '/oauth/client.json')
  assert.equal(asked.accept, 'application/json')
  assert.equal(asked['accept-encoding'], 'identity')
  assert.match(String(asked['user-agent']), /^vitrine\//)
  for (const secret of ['cookie', 'authorization', 'referer']) assert.equal(asked[secret], undefined)
})

test('an id that is not a plain https URL is refused before anything is resolved', { skip }, async (t) => {
  const { find, resolved, paths } = await serve(t, send(document))
  const host = 'https://client.example'
  const ids = [
    ...`${host} ${host}/ ${host}?x ${host}/# ${ID}# ${ID}#x https://u@client.example/x https://@client.example/x
      https://u:p@client.example/x ${host}:8443/x ${host}:443/x ${host}:22/x ${host}/a/../b ${host}/./b ${host}/%2e%2e/b
      https://CLIENT.example/x HTTPS://client.example/x https:/client.example/x https:client.example/x
      https:\\\\client.example/x ${host}/é https://clíent.example/x https://127.0.0.1/x https://127.1/x
      https://0x7f000001/x https://2130706433/x https://[::1]/x https://1.1.1.1/x https://[::ffff:127.0.0.1]/x
      https://[2606:4700::1111]/x https://10.0.0.1/x https:// https: ${host}/${'x'.repeat(500)}`.split(/\s+/),
    ...[` ${ID}`, `${ID} `, `${ID}\n`, 'https://cli\tent.example/x'],
  ]
  for (const id of ids.filter((each) => /^https:/i.test(each)))
    await assert.rejects(find(id), refused(/^The URL that names this program must be https/), id)
  for (const id of ids) await assert.rejects(find(id), { code: 'invalid_client' }, id)
  assert.deepEqual([resolved, paths], [[], []])
})

/** test/lib/public-address.test.ts has every kind. */
const addresses: [what: string, ...addresses: string[]][] = [
  ['private', '10.0.0.1'],
  ['public and private', '1.1.1.1', '127.0.0.1'],
  ['private and public', '127.0.0.1', '2606:4700::1111'],
]
for (const [what, ...found] of addresses)
  test(`no connection is made to a host whose address is ${what}`, { skip }, async (t) => {
    const { port, paths } = await serve(t, send(document))
    const clients = new ClientRegistry({
      testOverrides: { ca: certificate?.cert ?? '', port, resolve: async () => found },
    })
    await assert.rejects(clients.find(ID, CALLER), NOT_FETCHED)
    assert.deepEqual(paths, [])
  })

test('a host is resolved once for each fetch, and its address checked each time', { skip }, async (t) => {
  const answers = [['127.0.0.1'], ['127.0.0.2']]
  let resolutions = 0
  const resolve = async () => answers[resolutions++] ?? []
  const { find, paths, pass } = await serve(t, send(document), { resolve })
  assert.equal((await find()).name, 'App')
  assert.deepEqual([resolutions, paths.length], [1, 1])
  pass(5 * MINUTE)
  await assert.rejects(find(), NOT_FETCHED)
  assert.deepEqual([resolutions, paths.length], [2, 1])
})

const NOT_JSON = refused(/^client\.example did not send a description of this program as JSON\.$/)
const bad: Record<string, [RequestListener, object]> = {
  'redirects elsewhere': [send(document, { ...json, location: 'https://www.client.example/' }, 302), NOT_JSON],
  'is HTML': [send(document, { 'content-type': 'text/html' }), NOT_JSON],
  'is compressed although that was not asked for': [
    (_, response) =>
      void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(document))),
    NOT_JSON,
  ],
  'has another client_id': [send({ ...document, client_id: `${ID}/` }), refused(/is for another program/)],
  'has a secret': [send({ ...document, client_secret: 'x' }), refused(/shared secret/)],
  'has no redirect URI': [send({ client_id: ID }), refused(/is not usable: redirect_uris must be a list/)],
  'has a dangerous redirect URI': [
    send({ ...document, redirect_uris: ['javascript:/x'] }),
    refused(/is not usable: redirect_uris\[0\] /),
  ],
  'has more than 5 KB': [send(JSON.stringify({ ...document, x: 'x'.repeat(5120) })), NOT_FETCHED],
  'breaks off': [(request) => void request.socket.destroy(), NOT_FETCHED],
}
for (const [what, [listener, error]] of Object.entries(bad))
  test(`a document that ${what} is refused, and is fetched again at the next attempt`, { skip }, async (t) => {
    let isGood = false
    const { find, paths } = await serve(t, (request, response) =>
      (isGood ? send(document) : listener)(request, response),
    )
    await assert.rejects(find(), error)
    assert.equal(paths.length, 1)
    isGood = true
    assert.equal((await find()).name, 'App')
  })

test('a host that sends a byte now and then is given up', { skip }, async (t) => {
  const drip: RequestListener = (_, response) => {
    response.writeHead(200, json)
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  }
  const { find } = await serve(t, drip, { timeoutMs: 300 })
  await assert.rejects(find(), NOT_FETCHED)
})

test('a certificate that is not trusted, or is for another host, is refused', { skip }, async (t) => {
  const { find, paths, port } = await serve(t, send(document))
  await assert.rejects(find('https://other.example/client.json'), refused(/could not be fetched from other\.example/))
  const resolve = async () => ['127.0.0.1']
  const clients = new ClientRegistry({ testOverrides: { port, resolve, isAllowed: () => true } })
  await assert.rejects(clients.find(ID, CALLER), NOT_FETCHED)
  assert.deepEqual(paths, [])
})

test('a document is fetched once for all who ask, and cached for 5 minutes, whatever it asks for', {
  skip,
}, async (t) => {
  const { find, paths, pass } = await serve(t, send(document, { ...json, 'cache-control': 'no-store' }))
  await Promise.all(Array.from({ length: 50 }, () => find()))
  pass(5 * MINUTE - 1)
  await find()
  assert.equal(paths.length, 1)
  pass(1)
  await find()
  assert.equal(paths.length, 2)
})

const BUSY = { name: 'OAuthError', code: 'temporarily_unavailable', status: 503 }

test('one network can only start 20 fetches a minute, whatever their outcome', { skip }, async (t) => {
  const { find, pass, paths } = await serve(t, send('', {}, 404))
  const idOf = (n: number) => `https://client.example/${n}`
  for (let n = 0; n < 20; n++) await assert.rejects(find(idOf(n)), { code: 'invalid_client' })
  await assert.rejects(find(idOf(20)), BUSY)
  await assert.rejects(find(idOf(20), '198.51.100.8'), { code: 'invalid_client' })
  pass(MINUTE)
  await assert.rejects(find(idOf(20)), { code: 'invalid_client' })
  assert.equal(paths.length, 22)
})
