import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ServerLimits } from '../../src/http/server.ts'
import { untilSocketCloses } from '../support/raw.ts'
import { startService } from '../support/service.ts'

/** For tests in which a client is too slow. Good ones share the machine, and must not be taken for slow when it is busy. */
const impatient = { headersTimeoutMs: 2000, requestTimeoutMs: 2000, checkIntervalMs: 50 }

async function start(t: TestContext, limits: Partial<ServerLimits> = {}) {
  const service = await startService(t, { env: { RATE_LIMIT: '1000000;w=60' }, limits })
  const { hostname, port } = new URL(service.url)
  const open = (text: string, allowHalfOpen = false): Socket => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    socket.write(text)
    return socket
  }
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`
  const isServed = async (after?: string) => assert.equal((await service.get('/workspace')).status, 200, after)
  return { ...service, open, head, isServed }
}

async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await untilSocketCloses(socket)
  return text
}

test('heads that arrive a byte at a time are cut off, and delay no one', async (t) => {
  const { open, isServed } = await start(t, impatient)
  const slow = Array.from({ length: 50 }, () => open('GET /workspace HTTP/1.1\r\nX: '))
  const dripping = setInterval(() => {
    for (const socket of slow) if (!socket.destroyed) socket.write('x')
  }, 20)
  t.after(() => clearInterval(dripping))
  const all = Promise.all(slow.map(received))
  for (let i = 0; i < 10; i++) await isServed()
  for (const text of await all) assert.match(text, /^HTTP\/1\.1 408 /)
})

test('connections reset in the middle of requests, tunnels, bodies and responses do not affect the service', async (t) => {
  const { open, head, isServed, addTasks } = await start(t)
  await addTasks(Array.from({ length: 100 }, (_, i) => ({ id: `task ${i}`, details: 'x'.repeat(9000) })))
  const texts = [
    `GET /tasks HTTP/1.1\r\n${head}`,
    `GET /tasks HTTP/1.1\r\n${head}\r\n`.repeat(40),
    `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n`,
    'CONNECT /tasks HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /tasks HTTP/1.1\r\n',
    'GARBAGE\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]
  for (const text of texts) {
    for (let i = 0; i < 10; i++) {
      const socket = open(text).pause()
      await once(socket, 'connect')
      await new Promise((resolve) => setTimeout(resolve, i))
      socket.resetAndDestroy()
    }
    await isServed(text)
  }
})

test('a client that sends garbage and never closes is disconnected', async (t) => {
  const { open } = await start(t)
  const socket = open('GARBAGE\r\n\r\n', true)
  const over = untilSocketCloses(socket)
  // It keeps sending on its half of the connection, until the other side is gone.
  const talk = setInterval(() => socket.write('x'), 50)
  await over
  clearInterval(talk)
})

test('a client that starts reading a response byte by byte gets all of it', async (t) => {
  const { open, head, addTasks, get } = await start(t)
  await addTasks(Array.from({ length: 100 }, (_, i) => ({ id: `task ${i}`, details: 'é'.repeat(9000) })))
  const length = (await (await get('/tasks')).arrayBuffer()).byteLength
  const socket = open(`GET /tasks HTTP/1.1\r\n${head}Connection: close\r\n\r\n`).pause()
  let read = 0
  const over = new Promise((resolve) => socket.once('end', resolve))
  socket.on('readable', function take() {
    const chunk = (read < 500 ? socket.read(1) : null) ?? socket.read()
    read += chunk?.length ?? 0
    if (chunk !== null) setImmediate(take)
  })
  await over
  assert.ok(read > length, `${read} bytes of ${length} and a head`)
})
