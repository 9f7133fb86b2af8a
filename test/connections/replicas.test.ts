// On both engines: replicas race.
/** Several processes over one database; each sees the others' changes immediately. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OAuthError } from '../../src/connections/oauth-error.ts'
import { type IssuedTokens, ReuseError } from '../../src/connections/tokens.ts'
import { openSettingsStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { servedStore } from '../support/operator.ts'
import { connector, granted, startConnecting } from './connector.ts'

const ROUNDS = 10

/** Two replicas and the operator, as with servers. */
async function startReplicas(t: TestContext) {
  const lab = await startConnecting(t)
  const open = async () => {
    const store = await openSettingsStore(parseDatabaseUrl(lab.url), resources)
    assert.ok(store)
    t.after(() => store.close())
    return connector(store, lab.time)
  }
  return { ...lab, replicas: [await open(), await open()] as const, open }
}

const isGranted = (result: IssuedTokens | OAuthError): result is IssuedTokens => !(result instanceof OAuthError)

test('if two replicas get the same code at once, one redeems it, and the other ends the connection', async (t) => {
  const { issue, replicas, keys, reuses, keyOf } = await startReplicas(t)
  for (let round = 1; round <= ROUNDS; round++) {
    const code = await issue()
    const results = await Promise.all(replicas.map((replica) => replica.redeem(code)))
    const [winner, ...others] = results.filter(isGranted)
    const [loser] = results.filter((result) => result instanceof ReuseError)
    assert.ok(winner !== undefined && others.length === 0 && loser !== undefined)
    assert.equal(loser.key.id, winner.key.id)
    assert.notEqual((await keyOf(winner.key.id))?.revokedAt, null)
    assert.equal((await keys.list('acme')).length, round)
    assert.equal((await reuses()).length, round)
  }
})

test('if two replicas get the same refresh token at once, both return the same tokens and revoke nothing', async (t) => {
  const { connect, replicas, tokens, time, keyOf } = await startReplicas(t)
  const { key, response } = await connect()
  let last = response.refresh_token
  for (let round = 1; round <= ROUNDS; round++) {
    const both = await Promise.all([...replicas, ...replicas].map((replica) => replica.refresh(last)))
    const responses = both.map((result) => granted(result).response)
    for (const other of responses) assert.deepEqual(other, responses[0])
    assert.equal((await tokens()).length, 3 + 2 * round)
    last = responses[0]?.refresh_token ?? ''
    time.now += 1000
  }
  assert.equal((await keyOf(key.id))?.revokedAt, null)
})

test('connections that are created, refreshed and revoked on two replicas at once do not fail each other', async (t) => {
  const { connect, replicas, time } = await startReplicas(t)
  const [refreshed, revoked]: [IssuedTokens[], IssuedTokens[]] = [[], []]
  for (let i = 0; i < 8; i++) {
    refreshed.push(await connect())
    revoked.push(await connect())
  }
  // Every access token has expired, so that all of them delete the same rows.
  time.now += 3_600_000
  const work = replicas.flatMap((replica) => [
    ...refreshed.map(async ({ response }) => granted(await replica.refresh(response.refresh_token))),
    ...revoked.map(({ response }) => replica.revoke(response.refresh_token)),
    replica.connect(),
  ])
  const results = await Promise.all(work)
  assert.equal(results.filter((result) => result === undefined).length, revoked.length, 'each was revoked once')
})

for (const when of ['before the commit', 'after the commit'])
  test(`a client whose server was killed ${when} of a refresh retries, and continues`, async (t) => {
    const { url, connect, refresh, time, tokens, keyOf } = await startConnecting(t)
    time.now = Date.now()
    const { key, response } = await connect()
    const program = join(import.meta.dirname, './refresh-and-die-main.ts')
    const child = spawn(process.execPath, [program, url, response.refresh_token, String(time.now), when])
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    const left = await tokens()
    assert.equal(left.length, when === 'before the commit' ? 3 : 5)
    time.now += 20_000
    const { response: next } = granted(await refresh(response.refresh_token))
    assert.equal((await tokens()).length, 5)
    const served = await servedStore(t, url)
    const admitted = await served.admit(hashToken(next.access_token))
    assert.equal(admitted?.keyId, key.id)
    granted(await refresh(next.refresh_token))
    assert.equal((await keyOf(key.id))?.revokedAt, null)
  })
