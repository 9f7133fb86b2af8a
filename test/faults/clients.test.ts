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
  let dropped = 0
  let answered = 0
  let isStopping = false
  const clients = Array.from({ length: 16 }, async () => {
    const socket = await open('')
    let awaited = false
    const ask = () => {
      if (!socket.writable) {
        // The server closed it as idle while this process was slow.
        if (!isStopping) dropped++
        return
      }
      awaited = true
      socket.write(request)
    }
    socket.on('data', (chunk) => {
      awaited = false
      answered++
      // Two turns later: by then the end of the connection, if it has arrived, has been read.
      if (!String(chunk).includes('Connection: close')) setImmediate(setImmediate, ask)
    })
    const over = untilSocketCloses(socket)
    ask()
    await over
    if (awaited) dropped++
  })
  await waitUntil(() => answered >= 500, { everyMs: 5 })
  isStopping = true
  const stopped = server.stop()
  await Promise.all(clients)
  assert.equal(dropped, 0)
  assert.equal(await stopped, 0)
})
