// Run once: sockets decide this, before the database is asked anything.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { StalledReaders } from '../../src/http/connections.ts'
import { listen } from '../support/listen.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

/** More than the system takes on its own. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

async function pair(t: TestContext): Promise<{ server: Socket; client: Socket }> {
  const listener = createServer()
  const port = await listen(listener)
  const accepted = once(listener, 'connection')
  const client = connect(port, '127.0.0.1')
  const [server] = (await accepted) as [Socket]
  for (const socket of [server, client]) socket.on('error', () => {})
  t.after(() => {
    client.destroy()
    server.destroy()
    listener.close()
  })
  return { server, client }
}

test('a client that takes nothing of what waits for it is found after the timeout, not before', async (t) => {
  const { server } = await pair(t)
  server.write(LARGE)
  const stalled = new StalledReaders(30_000)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(stalled.find([server], 0), [])
  assert.deepEqual(stalled.find([server], 29_999), [])
  assert.deepEqual(stalled.find([server], 30_000), [server])
})

test('a client that reads slowly is not stalled, however long one answer takes it', async (t) => {
  const { server, client } = await pair(t)
  let isWritten = false
  server.write(LARGE, () => {
    isWritten = true
  })
  const stalled = new StalledReaders(30_000)
  let read = 0
  client.on('data', (chunk) => {
    read += chunk.length
    if (read > 4 * 1024 * 1024) client.pause()
  })
  for (let now = 0; now < 200_000; now += 20_000) {
    assert.deepEqual(stalled.find([server], now), [], `at ${now}`)
    read = 0
    client.resume()
    await waitUntil(() => client.isPaused(), { everyMs: 5 })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(isWritten, false, 'it is one answer all the time')
})

test('a connection on which nothing waits is never stalled', async (t) => {
  const { server } = await pair(t)
  const stalled = new StalledReaders(30_000)
  for (const now of [0, 40_000, 80_000]) assert.deepEqual(stalled.find([server], now), [])
})

test('the service closes the connection of a client that does not read, says so, and leaves idle ones alone', async (t) => {
  const { url, key, logLines } = await startService(t, {
    env: { RATE_LIMIT: '1000000;w=60' },
    limits: { headersTimeoutMs: 15_000, requestTimeoutMs: 30_000, checkIntervalMs: 25, stallTimeoutMs: 500 },
  })
  const { port } = new URL(url)
  const idle = connect(Number(port), '127.0.0.1')
  const silent = connect(Number(port), '127.0.0.1')
  for (const socket of [idle, silent]) socket.on('error', () => {})
  const get = `GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  idle.write(get)
  await once(idle, 'data')
  const isTold = () => logLines.some((line) => line.includes('did not read its answers'))
  const closed = new Promise((resolve) => silent.once('close', resolve))
  silent.pause()
  // It goes on asking, as far as anyone takes it.
  const ask = () => {
    while (!silent.destroyed && silent.write(get.repeat(500)));
  }
  silent.on('drain', ask)
  ask()
  await waitUntil(isTold)
  silent.resume()
  await closed
  idle.write(get)
  assert.match(String((await once(idle, 'data'))[0]), /^HTTP\/1\.1 200/)
  idle.destroy()
})
