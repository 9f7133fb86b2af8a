import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Fleet, startFleet } from '../proxies/fleet.ts'
import { type Load, startLoad } from '../proxies/load.ts'
import { type ProxyName, proxyNames, startProxy } from '../proxies/proxies.ts'
import { hasOpenssl } from '../support/certificates.ts'
import { skipWithout } from '../support/installed-program.ts'

const ROUNDS = 5

/** Caddy cannot resend a body, so it must learn about a stop before it happens. */
const settingsFor = (name: ProxyName): Record<string, string> => (name === 'caddy' ? { DRAIN_SECONDS: '5' } : {})

/** What is guaranteed without another server. */
const waits = { words: 'lets every request wait', hold: (failures: string[]) => assert.deepEqual(failures, []) }
const promises: Record<ProxyName, { words: string; hold(failures: string[]): void }> = {
  nginx: {
    words: 'answers 503 to try again',
    hold: (failures) => assert.deepEqual([...new Set(failures.map((failure) => failure.slice(-5)))], [': 503']),
  },
  caddy: waits,
  haproxy: waits,
}

async function restartUnderLoad(t: TestContext, name: ProxyName, fleet: Fleet): Promise<Load> {
  const proxy = await startProxy(name, fleet.ports)
  t.after(() => proxy.stop())
  const load = startLoad(proxy, fleet.key)
  await load.more(20)
  for (let round = 0; round < ROUNDS; round++)
    for (const index of fleet.ports.keys()) {
      assert.equal(await fleet.restart(index), 0)
      await load.more(20)
    }
  await load.stop()
  const sum = Object.values(load.answered).reduce((total, count) => total + count, 0)
  const restarts = ROUNDS * fleet.ports.length
  t.diagnostic(`${name}: ${restarts} restarts, ${sum} requests answered, ${load.failures.length} failed`)
  return load
}

for (const name of proxyNames) {
  const skip = hasOpenssl ? skipWithout(name) : { skip: 'no openssl' }
  test(`no request through ${name} fails while two replicas are restarted in turn`, skip, async (t) => {
    const fleet = await startFleet(t, { count: 2, engine: 'postgres', settings: settingsFor(name) })
    const load = await restartUnderLoad(t, name, fleet)
    assert.deepEqual(load.failures, [])
  })

  test(`while a single server is restarted, ${name} ${promises[name].words}`, skip, async (t) => {
    const fleet = await startFleet(t, { count: 1, engine: 'sqlite', settings: settingsFor(name) })
    const load = await restartUnderLoad(t, name, fleet)
    promises[name].hold(load.failures)
  })
}
