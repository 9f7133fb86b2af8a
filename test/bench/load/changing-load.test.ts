import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { loadWithChanges } from '../../../bench/load/changing-load.ts'
import { toBytes } from '../../../bench/load/load.ts'
import { listen } from '../../support/listen.ts'

test('a response that misses the change before its request ends the run', async (t) => {
  let value = 0
  let staleAt = Number.POSITIVE_INFINITY
  const server = createServer((_req, res) => {
    const shown = value >= staleAt ? value - 1 : value
    res.writeHead(200, { 'content-length': 6 }).end(String(shown).padStart(6, '0'))
  })
  const port = await listen(server)
  t.after(() => server.close())
  const client = {
    request: toBytes({ method: 'GET', path: '/' }),
    change: () => Buffer.from(String(++value).padStart(6, '0')),
  }
  const { requests } = await loadWithChanges(port, [client], 0.05, { bodyLength: 6, showsChange: true })
  assert.equal(requests, value)
  staleAt = value + 10
  await assert.rejects(
    loadWithChanges(port, [client], 2, { bodyLength: 6, showsChange: true }),
    /does not show the change/,
  )
  assert.equal(value, staleAt)
})
