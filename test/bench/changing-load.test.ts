import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { loadWithChanges } from '../../bench/harness/changing-load.ts'
import { toBytes } from '../../bench/load.ts'

test('an answer that misses the change before its request ends the run', async (t) => {
  let value = 0
  let staleAt = Number.POSITIVE_INFINITY
  const server = createServer((_req, res) => {
    const shown = value >= staleAt ? value - 1 : value
    res.writeHead(200, { 'content-length': 6 }).end(String(shown).padStart(6, '0'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const visitor = {
    request: toBytes({ method: 'GET', path: '/' }),
    change: () => Buffer.from(String(++value).padStart(6, '0')),
  }
  const { requests } = await loadWithChanges(port, [visitor], 0.05, { bodyLength: 6, showsChange: true })
  assert.equal(requests, value)
  staleAt = value + 10
  await assert.rejects(
    loadWithChanges(port, [visitor], 2, { bodyLength: 6, showsChange: true }),
    /does not show the change/,
  )
  assert.equal(value, staleAt)
})
