import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOpenssl } from '../support/certificates.ts'
import { skipWithout } from '../support/installed-program.ts'
import { startFleet } from './fleet.ts'
import { startLoad } from './load.ts'
import { startProxy } from './proxies.ts'

const skip = hasOpenssl ? skipWithout('nginx') : { skip: 'no openssl' }

/** test/long/restarts.test.ts does the same with every proxy, more often. */
test('no request through nginx fails while each of two replicas is restarted', skip, async (t) => {
  const fleet = await startFleet(t, { count: 2, engine: 'postgres' })
  const proxy = await startProxy('nginx', fleet.ports)
  t.after(() => proxy.stop())
  const load = startLoad(proxy, fleet.key, 1)
  await load.more(2)
  for (const index of fleet.ports.keys()) {
    assert.equal(await fleet.restart(index), 0)
    await load.more(2)
  }
  await load.stop()
  assert.deepEqual(load.failures, [])
})
