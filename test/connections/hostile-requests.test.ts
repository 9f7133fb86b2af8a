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
    [{ ...good, grant_type: 'refresh_token' }, 'invalid_request'],
    [{ ...good, grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ ...good, grant_type: 'password', username: 'x', password: 'y' }, 'unsupported_grant_type'],
    [{ ...good, grant_type: '__proto__' }, 'unsupported_grant_type'],
    [{ ...good, resource: `${PUBLIC_URL}/mcp` }, 'invalid_target'],
    [{ ...good, resource: `${PUBLIC_URL}/v2/mcp/` }, 'invalid_target'],
    [{ ...good, code: 'nul\0' }, 'invalid_request'],
    [{ ...good, code: 'é' }, 'invalid_request'],
    [{ ...good, client_id: 'line\nbreak' }, 'invalid_request'],
    [{ ...good, code: `${good.code}x` }, 'invalid_grant'],
  ]
  for (const [parameters, code] of requests) assertOAuthError(await post('/oauth/token', parameters), 400, code)
  const form = String(new URLSearchParams(good))
  const bodies: (string | Buffer)[] = [
    `${form}&code=${good.code}`,
    `${form}&client_id=`,
    `${form}&x=1&x=2`,
    Buffer.concat([Buffer.from(form), Buffer.from([0xff, 0xfe])]),
    `${form}%FF`,
    `${form}%00`,
    JSON.stringify(good),
    `${form}&padding=${'x'.repeat(16 * 1024)}`,
  ]
  for (const body of bodies)
    assertOAuthError(await send('/oauth/token', { headers: { 'content-type': FORM }, body }), 400, 'invalid_request')
  const chunks = Array.from({ length: 64 }, () => Buffer.alloc(1024, 'x'))
  assertOAuthError(
    await send('/oauth/token', { headers: { 'content-type': FORM }, body: chunks }),
    400,
    'invalid_request',
  )
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])
    assertOAuthError(await post('/oauth/token', good, { 'content-type': type }), 400, 'invalid_request')
  assertOAuthError(await send('/oauth/token', {}), 400, 'invalid_request')
  assert.equal((await post('/oauth/token', good, { 'content-type': `${FORM}; charset=UTF-8` })).status, 200)
})

test('a registration that is not JSON in UTF-8, or is too large, is refused', async (t) => {
  const { send, register } = await startConnecting(t)
  const metadata = { redirect_uris: [REDIRECT] }
  const bodies: (string | Buffer | Buffer[])[] = [
    '',
    '{',
    '{"redirect_uris":',
    `redirect_uris=${REDIRECT}`,
    Buffer.from([0x7b, 0xff, 0x7d]),
    '['.repeat(16_000),
    JSON.stringify({ ...metadata, padding: 'x'.repeat(16 * 1024) }),
    Array.from({ length: 64 }, () => Buffer.alloc(1024, ' ')),
  ]
  for (const body of bodies) {
    const sent = { headers: { 'content-type': 'application/json' }, body }
    assertOAuthError(await send('/oauth/register', sent), 400, 'invalid_client_metadata')
  }
  for (const type of [FORM, 'text/plain', ''])
    assertOAuthError(await register(metadata, { 'content-type': type }), 400, 'invalid_client_metadata')
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

test('junk from a network does not keep its programs from refreshing, and a connection has its own limit', async (t) => {
  const { post, connect, consent } = await startConnecting(t)
  const tokens = await connect()
  const code = await consent()
  const refresh = (refresh_token: string) =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: CLIENT })
  const revoke = (token: string) => post('/oauth/revoke', { token })
  for (let i = 0; i < 60; i++) {
    assertOAuthError(await post('/oauth/token', {}), 400, 'invalid_request')
    assertOAuthError(await refresh(`made-up-${i}`), 400, 'invalid_grant')
  }
  for (let i = 0; i < 120; i++) assert.equal((await revoke(`made-up-${i}`)).status, 200)
  assertOAuthError(await refresh('made-up'), 429, 'temporarily_unavailable', { 'retry-after': '60' })
  assertOAuthError(await revoke('made-up'), 429, 'temporarily_unavailable', { 'retry-after': '60' })
  assert.equal((await post('/oauth/token', code)).status, 200)
  for (let i = 0; i < 120; i++) assert.equal((await refresh(tokens.refresh_token)).status, 200)
  assertOAuthError(await refresh(tokens.refresh_token), 429, 'temporarily_unavailable', { 'retry-after': '60' })
  const other = await connect()
  assert.equal((await revoke(other.refresh_token)).status, 200)
})

test('registrations leave nothing in the database', async (t) => {
  const { register, rowsOf, time } = await startConnecting(t)
  const tables = ['api_keys', 'connection_tokens', 'tickets', 'audit', 'members']
  const before = await Promise.all(tables.map(rowsOf))
  const ids = new Set<unknown>()
  for (let i = 0; i < 10; i++) {
    time.now += 600_000
    const responses = await Promise.all(Array.from({ length: 30 }, () => register({ redirect_uris: [REDIRECT] })))
    for (const { json } of responses) ids.add((json as { client_id: string }).client_id)
  }
  assert.equal(ids.size, 300)
  assert.deepEqual(await Promise.all(tables.map(rowsOf)), before)
})
