import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openPublicStore } from '../../src/database/open.ts'
import { Logger } from '../../src/lib/logger.ts'
import { resources } from '../../src/resources/index.ts'
import { freshDatabaseUrl } from '../support/database.ts'
import { listen } from '../support/listen.ts'

const ASKING = 20

test('however many readiness checks arrive at once, the store is asked once, and all get its result', async (t) => {
  const config = readConfig({ DATABASE_URL: await freshDatabaseUrl(t, 'sqlite') })
  const store = await openPublicStore(config.database, resources, {
    defaultQuota: config.quota,
    onUseFailure: () => {},
  })
  let pings = 0
  const held: (() => void)[] = []
  let failure: Error | undefined
  const ping = store.ping.bind(store)
  store.ping = async () => {
    pings++
    await new Promise<void>((resolve) => held.push(resolve))
    if (failure !== undefined) throw failure
    await ping()
  }
  const { server } = createApp(config, store, { log: new Logger({ write() {} }, 'silent') })
  const port = await listen(server)
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await store.close()
  })
  const askTogether = async () => {
    let arrived = 0
    const allArrived = new Promise<void>((resolve) => {
      const count = () => {
        if (++arrived < ASKING) return
        server.off('request', count)
        resolve()
      }
      server.on('request', count)
    })
    const responses = Array.from({ length: ASKING }, () => fetch(`http://127.0.0.1:${port}/readyz`))
    await allArrived
    for (const release of held.splice(0)) release()
    return Promise.all(responses.map(async (response) => (await response).status))
  }

  assert.deepEqual(await askTogether(), Array(ASKING).fill(200))
  assert.equal(pings, 1)
  // The result is not cached: a later request asks the store again.
  failure = new Error('the store is away')
  assert.deepEqual(await askTogether(), Array(ASKING).fill(503))
  assert.equal(pings, 2)
})
