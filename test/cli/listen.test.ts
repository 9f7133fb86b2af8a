import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type TestContext, test } from 'node:test'
import { listen } from '../../src/cli/serve/listen.ts'
import { freePort } from '../support/listen.ts'

const ANY = { host: '127.0.0.1', port: 0 }

function createTestServer(t: TestContext): Server {
  const server = createServer((_, response) => response.end('served'))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

test('a port that a server listens on is refused to another server', async (t) => {
  const port = await listen(createTestServer(t), ANY)
  await assert.rejects(listen(createTestServer(t), { ...ANY, port }), /is in use by another program/)
})

test('a server that has stopped listening leaves its port to the next', async (t) => {
  const port = await freePort()
  const first = createTestServer(t)
  await listen(first, { ...ANY, port })
  await new Promise((resolve) => first.close(resolve))
  assert.equal(await listen(createTestServer(t), { ...ANY, port }), port)
})
