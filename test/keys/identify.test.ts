// On both engines: one statement over many keys, of other types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifyToken } from '../../src/keys/identify.ts'
import { createToken } from '../../src/lib/key-format.ts'
import { startConnecting } from '../connections/connector.ts'
import { atTime } from '../support/at-time.ts'

test("a connection's tokens are identified as its key, each with its own end", async (t) => {
  const { connect, keys, store, time } = await startConnecting(t)
  const { key, response } = await connect()
  const identify = (token: string) => atTime(store, () => time.now).read((tx) => identifyToken(tx, token))
  const states = async () => [
    (await identify(response.access_token))?.state,
    (await identify(response.refresh_token))?.state,
  ]
  assert.deepEqual(await identify(response.access_token), {
    ...{ state: 'live', id: key.id, label: 'Agent', workspace: 'acme', lastUsedAt: null },
  })
  await keys.pause(key.id)
  assert.deepEqual(await states(), ['paused', 'paused'])
  await keys.resume(key.id)
  time.now += 3_600_000
  assert.deepEqual(await states(), ['expired', 'live'])
  await keys.revoke(key.id)
  assert.deepEqual(await states(), ['revoked', 'revoked'])
  assert.equal(await identify(createToken()), undefined)
})
