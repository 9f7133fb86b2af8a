// On both engines: one smoke of the server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { testOnce } from '../support/database.ts'
import { acmeProgram, logLines, program, untilRefused } from '../support/program.ts'
import { openConnections, statusesOf } from '../support/raw.ts'
import { waitUntil } from '../support/wait.ts'

for (const [signal, run] of [
  ['SIGTERM', test],
  ['SIGINT', testOnce],
] as const) {
  const name = `${signal} lets requests in flight finish, then ends with exit code 0`
  run(name, async (t) => {
    const vitrine = await acmeProgram(t)
    const { token: key } = await vitrine.createKey()
    const server = await vitrine.start('serve')
    const crowd = await openConnections(t, server.url)
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    // One response, so that each connection has been accepted.
    await crowd.ask('/healthz')
    for (const connection of crowd.connections)
      connection.write(
        `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
      )
    const stopped = server.stop(signal)
    await untilRefused(server.url)
    for (const connection of crowd.connections) connection.write(body.slice(10))
    for (const { status, headers, text } of await Promise.all(crowd.connections.map((one) => one.next())))
      assert.deepEqual([status, headers.connection, text], [200, 'close', '{"jsonrpc":"2.0","id":1,"result":{}}'])
    assert.equal(await stopped, 0)
  })
}

testOnce('SIGTERM lets a response that is being sent finish', async (t) => {
  const vitrine = await acmeProgram(t)
  const { token: key } = await vitrine.createKey()
  // 8 MB: more than the system buffers for a client that does not read.
  const text = '\u{1f4d6}'.repeat(10_000)
  const lines = Array.from({ length: 100 }, (_, i) =>
    JSON.stringify({ id: `task ${i}`, title: 'x', details: text, sourceSummary: text }),
  )
  const file = join(vitrine.folder, 'tasks.ndjson')
  writeFileSync(file, lines.join('\n'))
  await vitrine.ok('task', 'import', '--workspace', 'acme', file)
  const server = await vitrine.start('serve')
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  const headEnd = first.indexOf('\r\n\r\n') + 4
  const length = Number(/^content-length: (\d+)/im.exec(first.subarray(0, headEnd).toString('latin1'))?.[1])
  assert.ok(length > 8_000_000)
  const stopped = server.stop()
  await untilRefused(server.url)
  // By then idle connections are closed, more than once.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  let received = first.length - headEnd
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  await once(socket.resume(), 'close')
  assert.equal(received, length)
  assert.equal(await stopped, 0)
})

testOnce('log lines are JSON with request id and key id, and never contain the key', async (t) => {
  const vitrine = await acmeProgram(t)
  const { token, id } = await vitrine.createKey()
  const server = await vitrine.start('serve')
  const response = await fetch(`${server.url}/tasks?key=${token}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await fetch(`${server.url}/${token}`)
  await server.stop()
  const lines = logLines(server.output())
  const line = lines.find(({ requestId }) => requestId === response.headers.get('x-request-id'))
  assert.deepEqual(
    { method: line.method, path: line.path, status: line.status, keyId: line.keyId },
    { method: 'GET', path: '/tasks', status: 200, keyId: id },
  )
  assert.ok(!server.output().includes(token))
})

test('every request is counted as a use, and is one complete line in the log', async (t) => {
  const vitrine = await acmeProgram(t, { RATE_LIMIT: '1000000;w=3600' })
  const { token, id } = await vitrine.createKey()
  const server = await vitrine.start('serve')
  const crowd = await openConnections(t, server.url)
  // The log is not read for a while, and lines are long, so they do not all fit into the pipe.
  server.child.stdout?.pause()
  const responses = await crowd.ask('/tasks', token, 20)
  responses.push(...(await crowd.ask(`/${'x'.repeat(2000)}`, token, 5)))
  assert.deepEqual(statusesOf(responses), { 200: 1200, 404: 300 })
  server.child.stdout?.resume()
  // A stop waits for the reader of the log only for a second.
  await waitUntil(() => server.output().split('"requestId"').length > responses.length)
  assert.equal(await server.stop(), 0)

  const lines = logLines(server.output())
  assert.deepEqual(
    lines.flatMap(({ requestId }) => requestId ?? []).sort(),
    responses.map(({ headers }) => headers['x-request-id']).sort(),
  )
  assert.deepEqual(
    lines.flatMap(({ msg }) => msg ?? []),
    ['stopping', 'stopped'],
  )
  assert.equal(lines.at(-1)?.msg, 'stopped')

  const [use] = await vitrine.query<{ count: number }>(`SELECT sum(count) AS count FROM key_use WHERE key_id = '${id}'`)
  assert.equal(Number(use?.count), 1200)
})

testOnce('a failed start is reported once, in one line', async (t) => {
  const vitrine = program(t, { LIFECYCLE: '{"/none":{"deprecation":"2026-01-01T00:00:00Z"}}' })
  const { code, stdout, stderr } = await vitrine.runApart('serve')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^vitrine: LIFECYCLE: \/none is not an API path; [^\n]+\n$/)
})
