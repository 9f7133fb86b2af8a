import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createServer, Server } from 'node:http'
import type { ListenOptions } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listen } from '../../src/cli/serve/listen.ts'
import { freePort } from '../support/listen.ts'

const ANY = { host: '127.0.0.1', port: 0, workers: 1 }

function createTestServer(t: TestContext): Server {
  const server = createServer((_, response) => response.end('served'))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

async function untilEnd(t: TestContext, listening: ReturnType<typeof listen>) {
  const { listeners } = await listening
  t.after(() => {
    for (const listener of listeners) listener.close()
  })
  return listening
}

/** Ends when all are connected; until then the process is blocked, so none is accepted. */
function connectMeanwhile(port: number, count: number): void {
  const script = `
    let left = ${count}
    for (let i = 0; i < ${count}; i++)
      require('node:net').connect(${port}, '127.0.0.1', () => --left || process.exit())`
  execFileSync(process.execPath, ['-e', script])
}

test('a server accepts many waiting connections in each event-loop tick', async (t) => {
  const server = createTestServer(t)
  const { port } = await untilEnd(t, listen(server, ANY))
  const connections = 160
  connectMeanwhile(port, connections)
  let accepted = 0
  server.on('connection', () => accepted++)
  let ticks = 0
  for (; accepted < connections; ticks++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(ticks < connections / 3, `${ticks} ticks`)
})

test('a port that a server listens on is refused to another server', async (t) => {
  const { port } = await untilEnd(t, listen(createTestServer(t), ANY))
  await assert.rejects(listen(createTestServer(t), { ...ANY, port }), /is in use by another program/)
})

test('a server that has stopped listening leaves its port to the next', async (t) => {
  const port = await freePort()
  const { listeners } = await listen(createTestServer(t), { ...ANY, port })
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
  await untilEnd(t, listen(createTestServer(t), { ...ANY, port }))
})

test('workers share the listeners, so that many of them do not use up the file descriptors', async (t) => {
  const config = { ...ANY, workers: 8 }
  const { listeners } = await untilEnd(t, listen(createTestServer(t), config))
  assert.equal(listeners.length, 2)
})

test('sockets are the same, whichever listener accepted them', async (t) => {
  const { listeners } = await untilEnd(t, listen(createTestServer(t), ANY))
  // Not in the types: what a listener passes to its sockets.
  const optionsOf = (listener: object) => {
    const { allowHalfOpen, noDelay, keepAlive, highWaterMark } = listener as Record<string, unknown>
    return { allowHalfOpen, noDelay, keepAlive, highWaterMark }
  }
  const [own, ...others] = listeners.map(optionsOf)
  assert.deepEqual(
    others,
    others.map(() => own),
  )
})

test('if ports cannot be shared, a single server has one listener', async (t) => {
  const server = createTestServer(t)
  server.listen = ((options: ListenOptions) => {
    if (!options.reusePort) return Server.prototype.listen.call(server, options)
    return process.nextTick(() => server.emit('error', Object.assign(new Error('bind'), { code: 'ENOTSUP' })))
  }) as Server['listen']
  const { port, listeners } = await untilEnd(t, listen(server, ANY))
  assert.deepEqual(listeners, [server])
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'served')
})

test('if one of its listeners fails, a server has none', async (t) => {
  const server = createTestServer(t)
  // Does not share the port, so the others cannot use it.
  server.listen = (({ reusePort, ...options }: ListenOptions) =>
    Server.prototype.listen.call(server, options)) as Server['listen']
  await assert.rejects(listen(server, ANY), /is in use by another program/)
  assert.equal(server.listening, false)
})
