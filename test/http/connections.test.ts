// Run once: sockets decide this, before any database query.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Connections, stalledReaders } from '../../src/http/connections.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { listen } from '../support/listen.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

/** To a server that takes 157 connections, 40 of them from one address. */
async function openAll(t: TestContext, count: number, env: Record<string, string> = {}) {
  const service = await startService(t, { env, limits: { connections: 157 } })
  const { hostname, port } = new URL(service.url)
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname)
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    socket.write(GET)
    await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
    return socket
  }
  const sockets: Socket[] = []
  for (let i = 0; i < count; i++) sockets.push(await open())
  return { ...service, sockets, open }
}

const isTold = (lines: string[]) => lines.filter((line) => line.includes('refused connections')).length

test('one address gets a quarter of the connections; further ones are closed immediately, and the log reports it once', async (t) => {
  const { sockets, open, logLines } = await openAll(t, 45)
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    sockets.map((_, i) => i >= 40),
  )
  assert.equal(isTold(logLines), 1)
  const [first] = sockets as [Socket]
  first.destroy()
  // The place is free once the server has seen the close.
  for (let again = await open(); again.destroyed; again = await open());
  const [, second] = sockets as [Socket, Socket]
  second.write(GET)
  assert.match(String((await once(second, 'data'))[0]), /^HTTP\/1\.1 200/)
})

test('behind a proxy all connections have one address, and only their total is limited', async (t) => {
  const { sockets, logLines } = await openAll(t, 160, { TRUST_PROXY: '1' })
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    sockets.map((_, i) => i >= 157),
  )
  assert.equal(isTold(logLines), 1)
})

/** Stands for a server on the internet: a machine has no two networks to call itself from. One network may have a quarter of the connections. */
function openFrom(addresses: string[], max = 8): boolean[] {
  const connections = new Connections(max, 0, silentLogger)
  return addresses.map((remoteAddress) => {
    let isOpen = true
    const destroy = () => {
      isOpen = false
    }
    connections.add(Object.assign(new EventEmitter(), { remoteAddress, destroy }) as unknown as Socket)
    return isOpen
  })
}

test('all addresses of one IPv6 network count as one', () => {
  assert.deepEqual(openFrom(['2001:db8::1', '2001:db8::2', '2001:db8::ffff:3', '2001:db8:0:1::1']), [
    true,
    true,
    false,
    true,
  ])
})

test('over IPv4 each address counts, even on a dual-stack socket', () => {
  assert.deepEqual(openFrom(['::ffff:192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1']), [
    true,
    true,
    true,
    false,
  ])
})

test('all networks together do not exceed the total', () => {
  assert.deepEqual(openFrom(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'], 3), [true, true, true, false])
})

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

test('a client that reads nothing is found after the timeout, not before', async (t) => {
  const { server } = await pair(t)
  server.write(LARGE)
  const find = stalledReaders(30_000)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(find([server], 0), [])
  assert.deepEqual(find([server], 29_999), [])
  assert.deepEqual(find([server], 30_000), [server])
})

test('a client that reads slowly is not stalled, however long one response takes', async (t) => {
  const { server, client } = await pair(t)
  let isWritten = false
  server.write(LARGE, () => {
    isWritten = true
  })
  const find = stalledReaders(30_000)
  let read = 0
  client.on('data', (chunk) => {
    read += chunk.length
    if (read > 4 * 1024 * 1024) client.pause()
  })
  for (let now = 0; now < 200_000; now += 20_000) {
    assert.deepEqual(find([server], now), [], `at ${now}`)
    read = 0
    client.resume()
    await waitUntil(() => client.isPaused(), { everyMs: 5 })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(isWritten, false, 'it is still the same response')
})

test('a connection on which nothing waits is never stalled', async (t) => {
  const { server } = await pair(t)
  const find = stalledReaders(30_000)
  for (const now of [0, 40_000, 80_000]) assert.deepEqual(find([server], now), [])
})

test('the service closes the connection of a client that does not read, logs it, and leaves idle ones alone', async (t) => {
  const { url, key, logLines } = await startService(t, {
    env: { RATE_LIMIT: '1000000;w=60' },
    limits: { checkIntervalMs: 25, stallTimeoutMs: 500 },
  })
  const { port } = new URL(url)
  const idle = connect(Number(port), '127.0.0.1')
  const silent = connect(Number(port), '127.0.0.1')
  for (const socket of [idle, silent]) socket.on('error', () => {})
  const get = `GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  idle.write(get)
  await once(idle, 'data')
  const isTold = () => logLines.some((line) => line.includes('did not read their responses'))
  const closed = new Promise((resolve) => silent.once('close', resolve))
  silent.pause()
  // It keeps sending requests, as far as they are accepted.
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
