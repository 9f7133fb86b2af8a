import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OAuthError } from '../../src/connections/oauth-error.ts'
import { ReuseError } from '../../src/connections/tokens.ts'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { archiveWorkspace, restoreWorkspace } from '../support/changes.ts'
import { GRANT, granted, refused, startConnecting } from './connector.ts'

const UNKNOWN = /^The refresh token is unknown, has expired, or was issued to another client/
const ENDED = /^The connection was revoked, or has expired/

test('a refresh returns new tokens, and keeps the key with its id, label and history', async (t) => {
  const { connect, refresh, keyOf, time } = await startConnecting(t)
  const { key, response } = await connect()
  time.now += 3_600_000
  const next = granted(await refresh(response.refresh_token))
  assert.deepEqual(next.key, { ...key, lastUsedAt: null })
  assert.deepEqual(await keyOf(key.id), next.key)
  const { access_token, refresh_token, ...rest } = next.response
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'workspace:read tasks:read' })
  const all = [access_token, refresh_token, response.access_token, response.refresh_token]
  assert.equal(new Set(all).size, 4)
})

test('a refresh token used again after 60 seconds ends the connection, and the key shows it', async (t) => {
  const { connect, refresh, reuses, assertReused, time } = await startConnecting(t)
  const { key, response } = await connect()
  const next = granted(await refresh(response.refresh_token)).response
  time.now += 60_001
  const error = refused(await refresh(response.refresh_token), /^The refresh token was used before/)
  await assertReused(error, key.id, 'refresh token')
  for (const token of [next.refresh_token, response.refresh_token]) refused(await refresh(token), ENDED)
  assert.equal((await reuses()).length, 1)
})

test('a repetition that waited while the next refresh token was replaced, after 60 seconds, gets no second line of tokens', async (t) => {
  const { connect, refresh, assertReused, time } = await startConnecting(t)
  const { key, response } = await connect()
  const next = granted(await refresh(response.refresh_token)).response
  time.now += 60_500
  granted(await refresh(next.refresh_token))
  // When its transaction began.
  time.now -= 1000
  await assertReused(await refresh(response.refresh_token), key.id, 'refresh token')
})

test('another client, an access token, a code and garbage are refused, and nothing is replaced', async (t) => {
  const { issue, redeem, refresh, keyOf } = await startConnecting(t)
  const code = await issue()
  const { key, response } = granted(await redeem(code))
  refused(await refresh(response.refresh_token, { clientId: 'https://other.example/client.json' }), UNKNOWN)
  for (const token of ['', 'x', code, response.access_token]) refused(await refresh(token), UNKNOWN)
  assert.equal((await keyOf(key.id))?.revokedAt, null)
  granted(await refresh(response.refresh_token))
})

test('while a connection is paused, or its workspace archived, nothing is replaced; afterwards it continues', async (t) => {
  const { store, connect, refresh, keys, time } = await startConnecting(t)
  const { key, response } = await connect()
  let last = response.refresh_token
  for (const [stop, resume, description] of [
    [() => keys.pause(key.id), () => keys.resume(key.id), /^The connection is paused/],
    [
      () => archiveWorkspace(store, 'acme', 'test'),
      () => restoreWorkspace(store, 'acme', 'test'),
      /^The workspace is archived/,
    ],
  ] as const) {
    await stop()
    for (let i = 0; i < 3; i++) {
      refused(await refresh(last), description, 'temporarily_unavailable')
      time.now += 61_000
    }
    await resume()
    last = granted(await refresh(last)).response.refresh_token
  }
})

test('an access token lives an hour, and a refresh token 30 days', async (t) => {
  const { url, connect, refresh, time } = await startConnecting(t)
  const served = await openPublicStore(parseDatabaseUrl(url), resources, {
    ...{ defaultQuota: { limit: 100, windowSeconds: 60 }, clock: () => time.now },
    onUseFailure: (error) => assert.fail(String(error)),
  })
  t.after(() => served.close())
  const { response } = await connect()
  const isAdmitted = async () =>
    !('reason' in ((await served.admit(hashToken(response.access_token))) ?? { reason: '' }))
  time.now += 3_599_999
  assert.equal(await isAdmitted(), true)
  time.now += 1
  assert.equal(await isAdmitted(), false)
  time.now += 30 * 86_400_000 - 3_600_001
  const next = granted(await refresh(response.refresh_token)).response
  time.now += 30 * 86_400_000
  refused(await refresh(next.refresh_token), UNKNOWN)
})

test('the scope of a refresh changes nothing, as long as some of it was granted', async (t) => {
  const { connect, refresh, keyOf } = await startConnecting(t)
  const { key, response } = await connect({ key: { ...GRANT.key, permissions: ['tasks:read'] } })
  for (const scope of ['workspace:read', 'x', ''])
    refused(await refresh(response.refresh_token, { scope }), /^scope contains nothing/, 'invalid_scope')
  const next = granted(await refresh(response.refresh_token, { scope: 'workspace:read tasks:read offline_access' }))
  assert.equal(next.response.scope, 'tasks:read')
  assert.deepEqual((await keyOf(key.id))?.permissions, ['tasks:read'])
})

test('a thief who refreshes in a loop is slowed down, and cannot make the stolen token forgotten', async (t) => {
  const { connect, refresh, keyOf, time } = await startConnecting(t)
  const { key, response: stolen } = await connect()
  let current = stolen
  for (let i = 0; i < 60; i++) {
    time.now += 1000
    current = granted(await refresh(current.refresh_token)).response
  }
  const error = await refresh(current.refresh_token)
  assert.ok(error instanceof OAuthError, 'the 61st refresh within an hour was granted')
  assert.deepEqual([error.code, error.status], ['temporarily_unavailable', 429])
  assert.deepEqual(error.headers, ['Retry-After', '60'])
  time.now += 3_600_000 - 60_000 + 1
  const next = granted(await refresh(current.refresh_token)).response
  granted(await refresh(current.refresh_token))
  assert.equal((await keyOf(key.id))?.revokedAt, null)
  const reuse = refused(await refresh(stolen.refresh_token), /^The refresh token was used before/)
  assert.ok(reuse instanceof ReuseError)
  refused(await refresh(next.refresh_token), ENDED)
})
