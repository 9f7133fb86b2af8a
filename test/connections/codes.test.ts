import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember, archiveWorkspace, changeRole, removeMember } from '../support/changes.ts'
import { NOON } from '../support/service.ts'
import { ANA, CLIENT, GRANT, granted, refused, startConnecting } from './connector.ts'

const AT = new Date(NOON).toISOString()
const USED = /^The code is unknown, has expired, or was used before/

test("a redeemed code is a key: labelled, with its permissions, created and audited in the person's name", async (t) => {
  const { newestEntry, connect, keyOf, time } = await startConnecting(t)
  const expiresAt = new Date(time.now + 90 * 86_400_000).toISOString()
  const { key } = await connect({ key: { ...GRANT.key, expiresAt, quota: { limit: 5, windowSeconds: 60 } } })
  assert.deepEqual(await keyOf(key.id), { ...key, lastUsedAt: null })
  const { label, permissions, quota, createdBy, createdAt, client } = key
  assert.deepEqual(
    { label, permissions, quota, expiresAt: key.expiresAt, createdBy, createdAt, client },
    { ...GRANT.key, quota: { limit: 5, windowSeconds: 60 }, expiresAt, createdBy: ANA, createdAt: AT, client: CLIENT },
  )
  const { actor, action, subject, detail } = (await newestEntry()) ?? {}
  assert.deepEqual(
    { actor, action, subject, detail },
    { actor: ANA, action: 'key.connected', subject: key.id, detail: { label: 'Agent', client: CLIENT.host } },
  )
})

test('a new connection does not end an older one, even of the same client and person', async (t) => {
  const { connect, refresh, keyOf } = await startConnecting(t)
  const [one, other] = [await connect(), await connect()]
  assert.notEqual(one.key.id, other.key.id)
  for (const { response, key } of [one, other]) {
    assert.equal((await keyOf(key.id))?.revokedAt, null)
    granted(await refresh(response.refresh_token))
  }
})

test('a code expires after 60 seconds', async (t) => {
  const { issue, redeem, time } = await startConnecting(t)
  const codes = [await issue(), await issue()]
  time.now += 59_999
  granted(await redeem(codes[0] ?? ''))
  time.now += 1
  refused(await redeem(codes[1] ?? ''), USED)
})

test('a code that is used twice is refused, and ends the connection, and the key shows it', async (t) => {
  const { issue, redeem, refresh, reuses, keyOf, assertReused, time } = await startConnecting(t)
  const code = await issue()
  const { key, response } = granted(await redeem(code))
  time.now += 29 * 86_400_000
  for (const stranger of [{ codeVerifier: 'guessed' }, { clientId: 'x' }]) refused(await redeem(code, stranger), USED)
  assert.equal((await keyOf(key.id))?.revokedAt, null, 'the code alone ends nothing')
  const error = refused(await redeem(code), /^The code was used before/)
  await assertReused(error, key.id, 'code')
  refused(await refresh(response.refresh_token), /^The (connection was revoked|refresh token is unknown)/)
  refused(await redeem(code), USED)
  assert.equal((await reuses()).length, 1)
})

test('a wrong client, redirect URI or verifier is refused, and consumes the code', async (t) => {
  const { issue, redeem, tokens, keys } = await startConnecting(t)
  for (const [changes, description] of [
    [{ clientId: 'https://other.example/client.json' }, /issued to another client/],
    [{ redirectUri: `${GRANT.redirectUri}/` }, /redirect_uri is not the one/],
    [{ codeVerifier: 'A'.repeat(43) }, /code_verifier does not match/],
    [{ codeVerifier: GRANT.codeChallenge }, /code_verifier does not match/],
    [{ codeVerifier: '' }, /code_verifier does not match/],
  ] as const) {
    const code = await issue()
    refused(await redeem(code, changes), description)
    refused(await redeem(code), USED)
  }
  assert.deepEqual([await tokens(), await keys.list('acme')], [[], []])
})

test('no one connects anything who is no longer an owner or admin, or whose workspace is archived', async (t) => {
  const { store, issue, redeem, keys } = await startConnecting(t)
  const ben = { email: 'ben@acme.example', role: 'admin' }
  const MAY_NOT = /^The person who connected may no longer create keys/
  for (const change of [
    () => changeRole(store, 'acme', { ...ben, role: 'member' }, 'test'),
    () => removeMember(store, 'acme', ben.email, 'test'),
    () => archiveWorkspace(store, 'acme', 'test'),
  ]) {
    await addMember(store, 'acme', ben, 'test', AT)
    const [works, code] = [await issue({ email: ben.email }), await issue({ email: ben.email })]
    granted(await redeem(works))
    await change()
    refused(await redeem(code), MAY_NOT)
  }
  assert.equal((await keys.list('acme')).length, 3)
})

test("with another person's link, someone can connect only while that person may manage them", async (t) => {
  const { store, issue, redeem, keys } = await startConnecting(t)
  const [ben, eve] = ['ben@acme.example', 'eve@acme.example']
  for (const email of [ben, eve]) await addMember(store, 'acme', { email, role: 'admin' }, 'test', AT)
  const grant = { email: ben, linkBy: eve }
  const { key } = granted(await redeem(await issue(grant)))
  assert.equal(key.createdBy, ben)
  const code = await issue(grant)
  await changeRole(store, 'acme', { email: eve, role: 'member' }, 'test')
  refused(await redeem(code), /may no longer create keys/)
  assert.equal((await keys.list('acme')).length, 1)
})
