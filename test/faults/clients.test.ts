// Run once: sockets decide this, before any database query.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { acmeProgram } from '../support/program.ts'
import { untilSocketCloses } from '../support/raw.ts'
import { waitUntil } from '../support/wait.ts'

async function serving(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--rate-limit', '1000000;w=60')
  const server = await vitrine.start('serve')
  const { hostname, port } = new URL(server.url)
  const open = (text: string) =>
    new Promise<Socket>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(text, () => resolve(socket)))
      socket.on('error', () => {})
    })
  return { server, key, open }
}

test('a requested tunnel that is held open does not keep the server from stopping', async (t) => {
  const { server, open } = await serving(t)
  await open('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.equal(await server.stop(), 0)
})

test('a stop under load drops no request', async (t) => {
  const { server, key, open } = await serving(t)
  const request = `GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  let unanswered = 0
  let answered = 0
  const clients = Array.from({ length: 16 }, async () => {
    const socket = await open('')
    let awaited = false
    const ask = () => {
      // Closed while this process was slow, as a connection is that stays idle.
      if (!socket.writable) return
      awaited = true
      socket.write(request)
    }
    socket.on('data', (chunk) => {
      awaited = false
      answered++
      // In the next turn, when the end of the connection has been read if it had arrived.
      if (!String(chunk).includes('Connection: close')) setImmediate(setImmediate, ask)
    })
    const over = untilSocketCloses(socket)
    ask()
    await over
    if (awaited) unanswered++
  })
  await waitUntil(() => answered >= 500, { everyMs: 5 })
  const stopped = server.stop()
  await Promise.all(clients)
  assert.equal(unanswered, 0)
  assert.equal(await stopped, 0)
})
