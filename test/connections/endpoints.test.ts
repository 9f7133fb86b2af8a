import assert from 'node:assert/strict'
import test from 'node:test'
import { assertHeaders } from '../support/assertions.ts'
import { exchange, type Sent } from '../support/exchange.ts'
import { assertOAuthError, CLIENT, PROTECTION, REDIRECT, startConnecting, tokensIn } from './connecting.ts'

const call = (token: string): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
})

test('a code gives tokens, of which the access token opens the API', async (t) => {
  const { post, consent, url } = await startConnecting(t)
  const response = await post('/oauth/token', await consent())
  const tokens = tokensIn(response)
  assertHeaders(response, {
    ...PROTECTION,
    ...{ 'content-type': 'application/json', 'content-length': String(response.body.length) },
  })
  assert.deepEqual(tokens, {
    ...tokens,
    ...{ token_type: 'Bearer', expires_in: 3600, scope: 'workspace:read tasks:read' },
  })
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  assert.equal((await exchange(url, '/tasks', { headers })).status, 200)
})

test('revoking an access or refresh token ends the connection, and so does every repetition', async (t) => {
  const { post, connect, url } = await startConnecting(t)
  for (const name of ['access_token', 'refresh_token'] as const) {
    const tokens = await connect()
    for (let i = 0; i < 2; i++) {
      const revoked = await post('/oauth/revoke', {
        token: tokens[name],
        token_type_hint: 'nonsense',
        client_id: CLIENT,
      })
      assert.deepEqual([revoked.status, revoked.text, revoked.headers['cache-control']], [200, '{}', 'no-store'])
    }
    assert.equal((await exchange(url, '/v2/mcp', call(tokens.access_token))).status, 401)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: CLIENT }
    assertOAuthError(await post('/oauth/token', refresh), 400, 'invalid_grant')
  }
})

test("a client cannot revoke another client's token, but a token without a client id is revoked", async (t) => {
  const { post, connect, url } = await startConnecting(t)
  const { access_token: token } = await connect()
  assertOAuthError(await post('/oauth/revoke', { token, client_id: `${CLIENT}x` }), 400, 'invalid_grant')
  assert.equal((await exchange(url, '/v2/mcp', call(token))).status, 200)
  assert.equal((await post('/oauth/revoke', { token })).status, 200)
  assert.equal((await exchange(url, '/v2/mcp', call(token))).status, 401)
})

test('a registration returns an id, and states that there is no secret', async (t) => {
  const { register } = await startConnecting(t)
  const response = await register({
    ...{ redirect_uris: [REDIRECT], client_name: 'An agent', token_endpoint_auth_method: 'client_secret_basic' },
    ...{ grant_types: ['authorization_code'], scope: 'tasks:read', software_id: 'x' },
  })
  assert.equal(response.status, 201, response.text)
  const { client_id: id, ...registered } = response.json as Record<string, unknown>
  assert.equal(typeof id, 'string')
  assert.deepEqual(registered, {
    client_name: 'An agent',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  assert.equal(response.headers['cache-control'], 'no-store')
  assertOAuthError(await register({ redirect_uris: ['http://client.example/callback'] }), 400, 'invalid_redirect_uri')
  for (const metadata of [null, [], 'x', 7, { redirect_uris: 7 }, {}]) {
    const refused = await register(metadata)
    assertOAuthError(refused, 400, (refused.json as { error: string }).error)
    assert.match((refused.json as { error: string }).error, /^invalid_(redirect_uri|client_metadata)$/)
  }
})

test('every other method is a 405 problem, and there is no CORS', async (t) => {
  const { send, consent, post } = await startConnecting(t)
  const documents = ['oauth-protected-resource/v2/mcp', 'oauth-authorization-server']
  for (const [paths, allow, methods] of [
    [['/oauth/register', '/oauth/token', '/oauth/revoke'], 'POST', ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    [documents.map((name) => `/.well-known/${name}`), 'GET, HEAD', ['POST', 'DELETE', 'OPTIONS']],
  ] as const)
    for (const path of paths)
      for (const method of methods) {
        const response = await send(path, { method, headers: { origin: 'https://page.example' } })
        assert.deepEqual([response.status, response.headers.allow], [405, allow])
        assert.equal(response.headers['content-type'], 'application/problem+json')
        assert.equal(response.headers['access-control-allow-origin'], undefined)
      }
  const response = await post('/oauth/token', await consent(), { origin: 'https://page.example' })
  assert.deepEqual([response.status, response.headers['access-control-allow-origin']], [200, undefined])
})

test('the log has each step with its outcome, and nothing that a client sent', async (t) => {
  const { register, post, consent, connect, logLines, time } = await startConnecting(t)
  await register({ redirect_uris: [REDIRECT], client_name: 'Unmistakable name' })
  await register({ redirect_uris: ['javascript:unmistakable'] })
  const code = await consent()
  await post('/oauth/token', { ...code, code_verifier: 'unmistakable-verifier' })
  const tokens = await connect()
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: CLIENT }
  const next = tokensIn(await post('/oauth/token', refresh))
  time.now += 61_000
  assertOAuthError(await post('/oauth/token', refresh), 400, 'invalid_grant')
  await post('/oauth/revoke', { token: 'unmistakable-token' })
  const lines = logLines.map((line) => JSON.parse(line))
  const steps = lines.filter(({ step }) => step !== undefined)
  assert.deepEqual(
    steps.map(({ level, step, outcome, keyId }) => [level, step, outcome, keyId !== undefined]),
    [
      [30, 'registration', 'ok', false],
      [30, 'registration', 'invalid_redirect_uri', false],
      [30, 'code', 'invalid_grant', false],
      [30, 'code', 'ok', true],
      [30, 'refresh', 'ok', true],
      [40, 'refresh', 'reused', true],
      [30, 'revocation', 'ok', false],
    ],
  )
  for (const { requestId } of steps) assert.ok(lines.some((line) => line.requestId === requestId && line.path))
  const secrets = [code.code, code.code_verifier, ...Object.values(tokens), ...Object.values(next)].map(String)
  for (const text of ['nmistakable', CLIENT, ...secrets.filter((secret) => secret.length > 20)])
    assert.ok(!logLines.some((line) => line.includes(text)), text)
})
