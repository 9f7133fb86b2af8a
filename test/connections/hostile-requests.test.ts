import assert from 'node:assert/strict'
import test from 'node:test'
import { assertOAuthError, CLIENT, FORM, PUBLIC_URL, REDIRECT, startConnecting } from './connecting.ts'

test('a token request with a missing, repeated, foreign or unknown parameter is refused', async (t) => {
  const { post, send, consent } = await startConnecting(t)
  const good = await consent()
  const requests: [parameters: Record<string, string>, code: string][] = [
    [{}, 'invalid_request'],
    [{ ...good, grant_type: '' }, 'invalid_request'],
    [{ ...good, client_id: '' }, 'invalid_request'],
    [{ ...good, code: '' }, 'invalid_request'],
    [{ ...good, code_verifier: '' }, 'invalid_request'],
    [{ ...good, grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ ...good, grant_type: 'password', username: 'x', password: 'y' }, 'unsupported_grant_type'],
    [{ ...good, resource: `${PUBLIC_URL}/mcp` }, 'invalid_target'],
    [{ ...good, resource: `${PUBLIC_URL}/v2/mcp/` }, 'invalid_target'],
    [{ ...good, code: 'nul\0' }, 'invalid_request'],
    [{ ...good, client_id: 'line\nbreak' }, 'invalid_request'],
    [{ ...good, code: `${good.code}x` }, 'invalid_grant'],
  ]
  for (const [parameters, code] of requests) assertOAuthError(await post('/oauth/token', parameters), 400, code)
  const form = String(new URLSearchParams(good))
  const bodies: (string | Buffer)[] = [
    `${form}&code=${good.code}`,
    `${form}&client_id=`,
    `${form}&x=1&x=2`,
    `${form}%FF`,
    JSON.stringify(good),
    `${form}&padding=${'x'.repeat(16 * 1024)}`,
  ]
  for (const body of bodies)
    assertOAuthError(await send('/oauth/token', { headers: { 'content-type': FORM }, body }), 400, 'invalid_request')
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])
    assertOAuthError(await post('/oauth/token', good, { 'content-type': type }), 400, 'invalid_request')
  assertOAuthError(await send('/oauth/token', {}), 400, 'invalid_request')
  assert.equal((await post('/oauth/token', good, { 'content-type': `${FORM}; charset=UTF-8` })).status, 200)
})

test('a client that sends a secret in Authorization is told that it has none', async (t) => {
  const { post, consent, connect } = await startConnecting(t)
  const authorization = `Basic ${Buffer.from(`${CLIENT}:secret`).toString('base64')}`
  const challenge = { 'www-authenticate': 'Basic realm="vitrine"' }
  const code = await consent()
  assertOAuthError(await post('/oauth/token', code, { authorization }), 401, 'invalid_client', challenge)
  const { access_token: token } = await connect()
  assertOAuthError(await post('/oauth/revoke', { token }, { authorization }), 401, 'invalid_client', challenge)
  assert.equal((await post('/oauth/token', code, { authorization: 'Bearer vtr_old' })).status, 200)
})

test('each network may register 30 clients in ten minutes, and send 120 token requests a minute', async (t) => {
  const { register, post, time } = await startConnecting(t, { env: { TRUST_PROXY: '1' } })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const metadata = { redirect_uris: [REDIRECT] }
  for (let i = 0; i < 30; i++) assert.equal((await register(metadata, from('2001:db8::1'))).status, 201)
  const refused = await register(metadata, from('2001:db8::2'))
  assertOAuthError(refused, 429, 'temporarily_unavailable', { 'retry-after': '600' })
  assert.equal((await register(metadata, from('2001:db8:1::1'))).status, 201)
  time.now += 600_000
  assert.equal((await register(metadata, from('2001:db8::1'))).status, 201)
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    for (let i = 0; i < 120; i++) assertOAuthError(await post(path, {}, from('192.0.2.1')), 400, 'invalid_request')
    time.now += 20_000
    const late = await post(path, { token: 'x' }, from('192.0.2.1'))
    assertOAuthError(late, 429, 'temporarily_unavailable', { 'retry-after': '40' })
  }
})

test('registrations leave nothing in the database', async (t) => {
  const { register, rowsOf } = await startConnecting(t)
  const tables = ['api_keys', 'connection_tokens', 'tickets', 'audit', 'members']
  const before = await Promise.all(tables.map(rowsOf))
  const ids = new Set<unknown>()
  for (let i = 0; i < 10; i++)
    ids.add(((await register({ redirect_uris: [REDIRECT] })).json as { client_id: string }).client_id)
  assert.equal(ids.size, 10)
  assert.deepEqual(await Promise.all(tables.map(rowsOf)), before)
})
