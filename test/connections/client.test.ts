import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findTarget } from '../../src/connections/authorization.ts'
import { type Client, matchRedirect, registerClient, registeredClient } from '../../src/connections/client.ts'
import { describedClient } from '../../src/connections/client-document.ts'
import { redirectUriError } from '../../src/connections/redirect-uri.ts'
import { nameError } from '../../src/lib/plain-text.ts'

const CALLBACK = 'https://app.example/cb'
const register = (metadata: object) => registerClient({ redirect_uris: [CALLBACK], ...metadata })

test('a registered client is known only by its id', () => {
  const client = register({ client_name: 'Größe 東京 👩🏽‍💻', redirect_uris: [CALLBACK, 'http://localhost/cb'] })
  assert.deepEqual(registeredClient(client.id), client)
  assert.deepEqual(client, {
    id: client.id,
    name: 'Größe 東京 👩🏽‍💻',
    redirectUris: [CALLBACK, 'http://localhost/cb'],
    documentHost: null,
  })
  assert.match(client.id, /^[\w-]{1,1500}$/)
  assert.notEqual(register({}).id, register({}).id)
})

test('a name is cleaned, and a missing or empty one is replaced by the host', () => {
  const nameOf = (client_name: unknown, uri = CALLBACK) => register({ client_name, redirect_uris: [uri] }).name
  assert.equal(nameOf(' Chat\u202EGPT\n\u200B'), 'ChatGPT')
  assert.equal(nameOf('x'.repeat(10_000)).length, 100)
  for (const none of [undefined, null, '', ' ', '\u200B', 5, {}, `vtr_${'a'.repeat(49)}`])
    assert.equal(nameOf(none), 'app.example')
  assert.equal(nameOf('', 'cursor://x/cb'), 'cursor:')
  assert.equal(nameOf('', 'https://vtr_abcdefgh.example/'), 'Unnamed client')
})

const invalid: [metadata: unknown, code: string, message: RegExp][] = [
  [undefined, 'invalid_client_metadata', /JSON object/],
  [[], 'invalid_client_metadata', /JSON object/],
  [{}, 'invalid_redirect_uri', /redirect_uris must be a list of 1 to 32 URIs/],
  [{ redirect_uris: [] }, 'invalid_redirect_uri', /list of 1 to 32/],
  [{ redirect_uris: CALLBACK }, 'invalid_redirect_uri', /list of 1 to 32/],
  [{ redirect_uris: Array(33).fill(CALLBACK) }, 'invalid_redirect_uri', /list of 1 to 32/],
  [
    { redirect_uris: [CALLBACK, 'http://app.example/'] },
    'invalid_redirect_uri',
    /^redirect_uris\[1\] must use https; /,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: ['client_credentials'] },
    'invalid_client_metadata',
    /^grant_types .*authorization_code/,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: 'authorization_code' },
    'invalid_client_metadata',
    /^grant_types must be a list/,
  ],
  [{ redirect_uris: [CALLBACK], response_types: ['token'] }, 'invalid_client_metadata', /^response_types .*code/],
  [
    { redirect_uris: [1, 2, 3].map((n) => `${CALLBACK}/${n}${'x'.repeat(450)}`) },
    'invalid_client_metadata',
    /too long/,
  ],
]
for (const [metadata, code, message] of invalid)
  test(`${JSON.stringify(metadata)?.slice(0, 90)} is refused as ${code}`, () =>
    assert.throws(() => registerClient(metadata), { name: 'OAuthError', code, status: 400, message }))

test('whatever a document contains, it describes a client or is refused', () => {
  const id = new URL('https://client.example/client.json')
  const names = ['client_name', 'redirect_uris', 'grant_types', 'response_types', 'token_endpoint_auth_method']
  const good = fc.constantFrom(null, 'App', [CALLBACK], ['authorization_code'], ['code'], 'none', 'private_key_jwt')
  const property = fc.oneof({ weight: 3, arbitrary: good }, fc.jsonValue())
  const document = fc.record(Object.fromEntries(names.map((name) => [name, property])), { requiredKeys: [] })
  const describe = (properties: object) => {
    try {
      assert.deepEqual(describedClient(id, { client_id: id.href, ...properties }).redirectUris, [CALLBACK])
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'invalid_client')
    }
  }
  fc.assert(fc.property(document, describe))
  describedClient(id, { client_id: id.href, redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' })
})

/** Whether registration could have given the client to anyone. */
function assertRegistrable(client: Client | undefined): void {
  if (client === undefined) return
  const again = registerClient({ client_name: client.name, redirect_uris: client.redirectUris })
  assert.deepEqual({ ...again, id: client.id }, client)
  assert.equal(nameError(client.name, 100), undefined)
  for (const uri of client.redirectUris) assert.equal(redirectUriError(uri), undefined)
}

test('a hand-written id never yields a client that could not register', () => {
  const idOf = (fields: unknown) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const nonce = 'AAAAAAAAAAAA'
  assert.equal(registeredClient(idOf([1, nonce, 'App', [CALLBACK]]))?.name, 'App')
  const named = ['short', 5, 'AAAAAAAAAAA=', null].map((wrongNonce) => [1, wrongNonce, 'App', [CALLBACK]])
  const names = [' App', 'A\u202Epp', '', 5, 'x'.repeat(101)].map((name) => [1, nonce, name, [CALLBACK]])
  const redirected = [
    ...[CALLBACK, ['javascript:/x'], ['http://a.example/'], [], [CALLBACK, CALLBACK], [CALLBACK, 5]],
    [1, 2, 3].map((n) => `${CALLBACK}/${n}${'x'.repeat(450)}`),
  ].map((uris) => [1, nonce, 'App', uris])
  const versions = [2, '1'].map((version) => [version, nonce, 'App', [CALLBACK]])
  const wrong: unknown[] = [
    ...[null, {}, 5, '', [], [1], [1, nonce, 'App', [CALLBACK], 1]],
    ...[named, names, redirected, versions].flat(),
  ]
  for (const fields of wrong)
    assert.equal(registeredClient(idOf(fields)), undefined, JSON.stringify(fields).slice(0, 80))
  const id = idOf([1, nonce, 'App', [CALLBACK]])
  for (const written of [`${id}=`, ` ${id}`, `${id}\n`, id.replace(/.$/, '')])
    assert.equal(registeredClient(written), undefined)
  assert.equal(registeredClient(Buffer.from(`[1,"${nonce}","App", ["${CALLBACK}"]]`).toString('base64url')), undefined)
  fc.assert(fc.property(fc.jsonValue(), (value) => assertRegistrable(registeredClient(idOf(value)))))
  fc.assert(fc.property(fc.string(), (text) => assertRegistrable(registeredClient(text))))
})

test('a redirect URI must be a registered one, character for character', () => {
  const client = register({ redirect_uris: [CALLBACK, 'cursor://x/cb'] })
  for (const uri of client.redirectUris) assert.equal(matchRedirect(client, uri), uri)
  const others = `https://app.example/cb/ https://app.example/cb?x https://app.example:443/cb https://APP.example/cb
    https://app.example/ https://app.example/cb/../cb cursor://y/cb cursor://x/CB`.split(/\s+/)
  for (const uri of ['', ...others]) assert.equal(matchRedirect(client, uri), undefined, uri)
})

test('any port is accepted on a loopback host', () => {
  const client = register({
    redirect_uris: ['http://127.0.0.1/', 'http://localhost:3118/cb?a=b', 'http://[::1]/cb', 'https://localhost:1/cb'],
  })
  const same = `http://127.0.0.1/ http://127.0.0.1:33418/ http://localhost/cb?a=b http://localhost:65535/cb?a=b
    http://[::1]:80/cb`.split(/\s+/)
  for (const uri of same) assert.equal(matchRedirect(client, uri), uri, uri)
  const others = `http://127.0.0.1:1/cb http://127.0.0.2:1/ http://localhost:1/ http://127.0.0.1:65536/ http://[::1]:80/
    http://127.0.0.1:1@evil.example/ http://127.0.0.1:80.evil.example/ https://localhost:2/cb http://127.0.0.1:1
    http://localhost:3118/cb?a=b#x http://127.0.0.1:1:2/`.split(/\s+/)
  for (const uri of others) assert.equal(matchRedirect(client, uri), undefined, uri)
})

test('the redirect URI can be left out if the client has one', () => {
  assert.equal(matchRedirect(register({}), undefined), CALLBACK)
  assert.equal(matchRedirect(register({ redirect_uris: [CALLBACK, `${CALLBACK}2`] }), undefined), undefined)
})

test('CONNECT_CLIENTS limits which hosts may describe a client and get its tokens', async () => {
  const isAllowed = async (id: string, uri: string, ...allowed: string[]) => {
    const asked: string[] = []
    const find = async (name: string): Promise<Client> => {
      asked.push(name)
      return { id: name, name: 'App', redirectUris: [uri], documentHost: null }
    }
    try {
      await findTarget(new URLSearchParams({ client_id: id }), { clients: { find }, allowed, address: undefined })
      return true
    } catch (error) {
      assert.equal((error as { code: string }).code, 'invalid_client')
      const [, host] = /Programs from (\S+) may not connect here\. The operator can add it to CONNECT_CLIENTS\./.exec(
        String(error),
      ) ?? ['']
      assert.deepEqual(asked, host === URL.parse(id)?.hostname ? [] : [id], 'no document is fetched from another host')
      return false
    }
  }
  const [own, described] = ['registered', 'https://claude.ai/client.json']
  assert.ok(await isAllowed(own, CALLBACK))
  assert.ok(await isAllowed(own, CALLBACK, 'other.example', 'app.example'))
  for (const hosts of ['example', 'www.app.example', 'p.example', 'localhost'])
    assert.ok(!(await isAllowed(own, CALLBACK, hosts)))
  assert.ok(await isAllowed(described, 'https://claude.ai/cb', 'claude.ai'))
  assert.ok(!(await isAllowed(described, 'https://evil.example/cb', 'claude.ai')), 'the token would go elsewhere')
  assert.ok(!(await isAllowed('https://evil.example/client.json', 'https://claude.ai/cb', 'claude.ai')))
  for (const uri of ['http://localhost:5/', 'http://127.0.0.1/', 'http://[::1]/']) {
    assert.ok(!(await isAllowed(described, uri, 'claude.ai')), 'any program on the computer can use the document')
    assert.ok(await isAllowed(described, uri, 'claude.ai', 'localhost'))
  }
  assert.ok(!(await isAllowed(own, 'claude.ai://cb', 'claude.ai')), 'a scheme is not a host')
  assert.ok(await isAllowed(own, 'cursor://x/cb', 'cursor:'))
})
