import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizePath, CALLBACK, CHALLENGE, registered, sentTo, startConnectable } from '../../support/consent.ts'
import { Browser, linkFor, signedIn, startSignedIn } from '../../support/person.ts'

const two = registered('Two', 'https://one.example/cb', 'https://two.example/cb')

/** Requests that must not be sent anywhere, and the page's text. */
const pages: Record<string, [path: string, text: RegExp]> = {
  'no parameters': ['/oauth/authorize', /client_id is missing/],
  'no client': [authorizePath({ client_id: '' }), /client_id is missing/],
  'an unknown client': [authorizePath({ client_id: 'made-up' }), /not registered here/],
  'a client with a port': [authorizePath({ client_id: 'https://client.example:8443/client.json' }), /must be https/],
  'another redirect URI': [authorizePath({ redirect_uri: 'https://evil.example/callback' }), /has not registered/],
  'a longer redirect URI': [authorizePath({ redirect_uri: `${CALLBACK}/more` }), /has not registered/],
  'a redirect URI with a query': [authorizePath({ redirect_uri: `${CALLBACK}?x=1` }), /has not registered/],
  'another scheme': [authorizePath({ redirect_uri: CALLBACK.replace('https', 'http') }), /has not registered/],
  'no redirect URI of two': [authorizePath({ client_id: two.id, redirect_uri: undefined }), /has not registered/],
  'two clients': [`${authorizePath()}&client_id=other`, /parameter is repeated/],
  'two redirect URIs': [`${authorizePath()}&redirect_uri=${CALLBACK}`, /parameter is repeated/],
}

test('while the client or its redirect URI is in doubt, the person gets a page and nothing is sent', async (t) => {
  const { service, browser: owner } = await startSignedIn(t, startConnectable)
  for (const [name, [path, text]] of Object.entries(pages))
    for (const browser of [owner, new Browser(service.url)]) {
      const response = await browser.get(path)
      // Nothing is fetched for a stranger.
      if (browser !== owner && path.includes('https%3A%2F%2Fclient.example%3A8443')) continue
      assert.equal(response.status, 400, name)
      assert.equal(response.headers.location, undefined)
      assert.match(response.text, text, name)
      assert.match(response.text, /start connecting again/)
      assert.doesNotMatch(response.text, /evil\.example/)
    }
})

/** Requests whose fault is reported to the client. */
const redirects: Record<string, [error: string, path: string]> = {
  'no response type': ['invalid_request', authorizePath({ response_type: undefined })],
  'an implicit grant': ['unsupported_response_type', authorizePath({ response_type: 'token' })],
  'a hybrid grant': ['unsupported_response_type', authorizePath({ response_type: 'code token' })],
  'no PKCE': ['invalid_request', authorizePath({ code_challenge: undefined })],
  'no PKCE method': ['invalid_request', authorizePath({ code_challenge_method: undefined })],
  'plain PKCE': ['invalid_request', authorizePath({ code_challenge_method: 'plain' })],
  'a short challenge': ['invalid_request', authorizePath({ code_challenge: CHALLENGE.slice(1) })],
  'a long challenge': ['invalid_request', authorizePath({ code_challenge: `${CHALLENGE}x` })],
  'a challenge with other characters': ['invalid_request', authorizePath({ code_challenge: `${CHALLENGE}=` })],
  'only unknown scopes': ['invalid_scope', authorizePath({ scope: 'openid offline_access' })],
  'a scope that differs in case': ['invalid_scope', authorizePath({ scope: 'TASKS:READ' })],
  'another resource': ['invalid_target', authorizePath({ resource: 'https://other.example/v2/mcp' })],
  'the older MCP path': ['invalid_target', authorizePath({ resource: 'http://127.0.0.1/mcp' })],
  'a repeated scope': ['invalid_request', `${authorizePath({ scope: 'tasks:read' })}&scope=workspace:read`],
  'a repeated unknown parameter': ['invalid_request', `${authorizePath()}&x=1&x=2`],
  'text beyond ASCII': ['invalid_request', authorizePath({ scope: 'tásks:read' })],
}

const listed = { env: { CONNECT_CLIENTS: 'client.example' } }

test('every other fault is sent to a client that the operator has listed, with the state and the issuer', async (t) => {
  const { service, browser } = await startSignedIn(t, (t) => startConnectable(t, listed))
  for (const [name, [error, path]] of Object.entries(redirects)) {
    const response = await browser.get(path)
    assert.equal(response.status, 303, name)
    const { error_description = '', ...sent } = sentTo(response.headers.location)
    assert.deepEqual(sent, { error, state: 's-1', iss: service.url }, name)
    assert.match(error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+\.$/, name)
  }
  for (const [name, path] of [
    ['too long', authorizePath({ state: 's'.repeat(1001) })],
    ['repeated', `${authorizePath()}&state=other`],
  ] as const) {
    const { error, iss, state } = sentTo((await browser.get(path)).headers.location)
    assert.deepEqual({ error, iss, state }, { error: 'invalid_request', iss: service.url, state: undefined }, name)
  }
})

test('a fault leads to an unknown website or app only by a link, and to the person’s computer by itself', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const hosts = { 'https://evil.example/cb': 'evil.example', 'evil-app://cb': 'evil-app:' }
  for (const [uri, host] of Object.entries(hosts)) {
    const path = authorizePath({ client_id: registered('x', uri).id, redirect_uri: uri, response_type: 'token' })
    const response = await browser.get(path)
    assert.deepEqual([response.status, response.headers.location], [400, undefined], uri)
    assert.match(response.text, /The only response_type is code\./)
    const [, href = '', text] = /<a class="button" href="([^"]*)">([^<]*)</.exec(response.text) ?? []
    assert.equal(text, `Return to ${host}`)
    const { error, state, iss } = Object.fromEntries(new URL(href.replaceAll('&#38;', '&')).searchParams)
    assert.deepEqual([error, state, iss], ['unsupported_response_type', 's-1', service.url])
    assert.ok(href.startsWith(uri))
    // A return that someone planted before the person signed in.
    const planted = new Browser(service.url)
    await planted.get(path)
    const back = await planted.follow(await linkFor(service, 'owner@acme.example'))
    assert.equal((await planted.get(back.headers.location ?? '')).status, 400, uri)
  }
  const local = 'http://127.0.0.1/cb'
  const path = authorizePath({ client_id: registered('x', local).id, redirect_uri: local, scope: 'openid' })
  assert.equal(sentTo((await browser.get(path)).headers.location, local).error, 'invalid_scope')
})

test('no one is redirected to a client before signing in: anyone can register any address', async (t) => {
  const service = await startConnectable(t)
  for (const [name, [, path]] of Object.entries(redirects)) {
    const response = await new Browser(service.url).get(path)
    assert.equal(response.status, 200, name)
    assert.match(response.text, /Sign in to Vitrine/)
  }
})

test('parameters without a value and unknown parameters are ignored', async (t) => {
  const service = await startConnectable(t)
  const path = authorizePath({ resource: '', scope: '', prompt: 'consent', nonce: 'n', login_hint: 'josé' })
  assert.equal((await (await signedIn(service)).get(path)).status, 200)
})

test('the operator’s list of clients is enforced', async (t) => {
  const service = await startConnectable(t, { env: { CONNECT_CLIENTS: 'known.example' } })
  const browser = await signedIn(service)
  const refused = await browser.get(authorizePath())
  assert.equal(refused.status, 403)
  assert.match(refused.text, /client\.example may not connect here.*CONNECT_CLIENTS/)
  const uri = 'https://known.example/cb'
  assert.equal(
    (await browser.get(authorizePath({ client_id: registered('x', uri).id, redirect_uri: uri }))).status,
    200,
  )
})
