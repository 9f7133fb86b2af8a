import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { acmeProgram } from '../support/program.ts'

const CONNECTIONS = 200
/** What a connection may cost that sends and does not read: 16 responses in progress at 4 KB, the connection, a buffer each way. */
const PER_CONNECTION_BYTES = 16 * 4096 + 16 * 1024 + 2 * 64 * 1024
/** 10,000 requests of all connections may wait, of at most 4 KB: more than 16 that are longer do not fit into one read. */
const WAITING_BYTES = 10_000 * 4096

const residentBytes = (pid: number | undefined): number | undefined => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
  } catch {
    return undefined
  }
}

test('pipelined requests whose responses are never read do not end the process, and others are served meanwhile', async (t) => {
  const vitrine = await acmeProgram(t, { NODE_OPTIONS: '--max-old-space-size=160' })
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.start('serve')
  const ask = async () => {
    const response = await fetch(`${server.url}/workspace`, { headers: { authorization: `Bearer ${key}` } })
    await response.text()
    return response.status
  }
  assert.equal(await ask(), 200)
  const before = residentBytes(server.child.pid)

  const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  const batch = request.repeat(Math.floor(63_000 / request.length))
  const { hostname, port } = new URL(server.url)
  const hostile: Socket[] = []
  t.after(() => {
    for (const socket of hostile) socket.destroy()
  })
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(Number(port), hostname).pause()
      socket.on('error', () => {})
      // As much as anyone takes, up to 40 times.
      for (let i = 0; i < 40; i++) socket.write(batch)
      hostile.push(socket)
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    }),
  )
  let most = 0
  for (let i = 0; i < 20; i++) {
    assert.equal(await ask(), 200)
    most = Math.max(most, residentBytes(server.child.pid) ?? 0)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.equal(server.child.exitCode, null)
  if (before !== undefined) {
    const bound = CONNECTIONS * PER_CONNECTION_BYTES + WAITING_BYTES + 64 * 1024 * 1024
    assert.ok(most - before < bound, `${(most - before) >> 20} MiB more, where ${bound >> 20} are the most`)
  }
  for (const socket of hostile) socket.resetAndDestroy()
  assert.equal(await ask(), 200)
  assert.equal(await server.stop(), 0)
})
