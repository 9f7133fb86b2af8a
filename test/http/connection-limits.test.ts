// Run once: sockets decide this, before the database is asked anything.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { Connections } from '../../src/http/connections.ts'
import { startService } from '../support/service.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

/** Of 64 workers each has its part of the 10,000 connections: 157, and 40 of one address. */
async function openAll(t: TestContext, count: number, env: Record<string, string> = {}) {
  const service = await startService(t, { env: { WORKERS: '64', ...env } })
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

test('one address has a quarter of the connections; those beyond are closed at once, and the log tells, once', async (t) => {
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

test('behind a proxy all connections are of one address, and only their whole number is bounded', async (t) => {
  const { sockets, logLines } = await openAll(t, 160, { TRUST_PROXY: '1' })
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    sockets.map((_, i) => i >= 157),
  )
  assert.equal(isTold(logLines), 1)
})

/** Stands for a server on the internet: a machine has no two networks to call itself from. */
function openFrom(addresses: string[], limits = { max: 10, maxPerNetwork: 2 }): boolean[] {
  const connections = new Connections(limits, pino({ enabled: false }))
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

test('over IPv4 each address counts, also on a socket of both families', () => {
  assert.deepEqual(openFrom(['::ffff:192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1']), [
    true,
    true,
    true,
    false,
  ])
})

test('all networks together have no more than the whole', () => {
  assert.deepEqual(openFrom(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'], { max: 3, maxPerNetwork: 2 }), [
    true,
    true,
    true,
    false,
  ])
})
