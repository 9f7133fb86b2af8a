import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Connections, MAX_PIPELINED } from '../../src/http/connections.ts'
import { Logger } from '../../src/lib/logger.ts'
import { openRaw, untilSocketCloses } from '../support/raw.ts'
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
  const connections = new Connections(max, 0, new Logger({ write() {} }, 'silent'))
  return addresses.map((remoteAddress) => {
    let isOpen = true
    const destroy = () => {
      isOpen = false
    }
    connections.add(Object.assign(new EventEmitter(), { remoteAddress, destroy }) as unknown as Socket)
    return isOpen
  })
}

test('an IPv6 network counts as one address, an IPv4 address for itself, and all together do not exceed the total', () => {
  const of = (...addresses: string[]) => openFrom(addresses)
  assert.deepEqual(of('2001:db8::1', '2001:db8::2', '2001:db8::ffff:3', '2001:db8:0:1::1'), [true, true, false, true])
  assert.deepEqual(of('::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1'), [true, true, true, false])
  assert.deepEqual(openFrom(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'], 3), [true, true, true, false])
})

test('a client that reads nothing is disconnected, which is logged; idle ones stay', async (t) => {
  const { url, key, addTasks, logLines } = await startService(t, { limits: { stallTimeoutMs: 500 } })
  const text = 'x'.repeat(9000)
  await addTasks(Array.from({ length: 100 }, (_, i) => ({ id: `t${i}`, details: text, sourceSummary: text })))
  const { port } = new URL(url)
  const idle = connect(Number(port), '127.0.0.1')
  const silent = connect(Number(port), '127.0.0.1').pause()
  for (const socket of [idle, silent]) socket.on('error', () => {})
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  idle.write(get('/workspace'))
  await once(idle, 'data')
  const closed = new Promise((resolve) => silent.once('close', resolve))
  // More than the system takes on its own.
  silent.write(get('/tasks').repeat(10))
  await waitUntil(() => logLines.some((line) => line.includes('did not read their responses')))
  silent.resume()
  await closed
  idle.write(get('/workspace'))
  assert.match(String((await once(idle, 'data'))[0]), /^HTTP\/1\.1 200/)
  idle.destroy()
})

test('a client that reads slowly is served, however long one response takes', async (t) => {
  const { url, key, addTasks } = await startService(t, { limits: { stallTimeoutMs: 500 } })
  const text = '\u0001'.repeat(10_000)
  await addTasks(Array.from({ length: 100 }, (_, i) => ({ id: `t${i}`, details: text, sourceSummary: text })))
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(`GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
  let read = 0
  socket.on('data', (chunk) => {
    read += chunk.length
    if (read % 5 === 0) return
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  await once(socket, 'end')
  assert.ok(read > 12_000_000, `${read} bytes`)
})

const ASK = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

test('a connection may pipeline a few requests; one that sends thousands is closed, and others are not', async (t) => {
  const { url, logLines } = await startService(t)
  const [few, many] = await Promise.all([openRaw(url), openRaw(url)])
  few.write(ASK.repeat(MAX_PIPELINED))
  for (let i = 0; i < MAX_PIPELINED; i++) assert.equal((await few.next()).status, 200)
  many.write(ASK.repeat(3000))
  await untilSocketCloses(many.socket)
  assert.equal(logLines.filter((line) => line.includes('too many requests at once')).length, 1)
  few.write(ASK)
  assert.equal((await few.next()).status, 200)
})
