import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

test('/readyz announces that the server will stop, while it keeps responding', async (t) => {
  const server = await program(t, { DRAIN_SECONDS: '300' }).start('serve')
  assert.equal((await exchange(server.url, '/readyz')).headers.connection, 'keep-alive')
  server.child.kill('SIGTERM')
  await waitUntil(async () => (await exchange(server.url, '/readyz')).status === 503)
  const { headers, json } = await exchange(server.url, '/readyz')
  assert.equal(headers.connection, 'close')
  assert.equal((json as { code: string; detail: string }).detail, 'The server is about to stop.')
  assert.equal((await exchange(server.url, '/healthz')).status, 200)
  assert.equal((await exchange(server.url, '/tasks')).status, 401)
  // A second signal does not wait.
  assert.equal(await server.stop('SIGTERM'), 1)
})

test('a server that has announced its stop exits by itself', async (t) => {
  const server = await program(t, { DRAIN_SECONDS: '1' }).start('serve')
  assert.equal(await server.stop('SIGTERM'), 0)
})
