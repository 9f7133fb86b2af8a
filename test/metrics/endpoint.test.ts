import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Collect } from '../../src/metrics/collect.ts'
import { createMetricsServer } from '../../src/metrics/endpoint.ts'
import { listen } from '../support/listen.ts'
import { openRaw, untilSocketCloses } from '../support/raw.ts'
import { waitUntil } from '../support/wait.ts'
import { scrape } from './exposition.ts'

async function startEndpoint(t: TestContext, collect: Collect = async () => []): Promise<string> {
  const server = createMetricsServer(collect)
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${await listen(server)}/metrics`
}

test('connections beyond the limit are closed, and ended ones make room', async (t) => {
  const url = await startEndpoint(t)
  const open = await Promise.all(Array.from({ length: 16 }, () => openRaw(url)))
  t.after(() => {
    for (const { socket } of open) socket.destroy()
  })
  const [first] = open
  first?.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.equal((await first?.next())?.status, 200)
  await untilSocketCloses((await openRaw(url)).socket)
  for (const { socket } of open) socket.destroy()
  await waitUntil(() =>
    scrape(url).then(
      () => true,
      () => false,
    ),
  )
})

test('if the metrics cannot be collected, the scrape fails, so that Prometheus reports the server as down', async (t) => {
  const url = await startEndpoint(t, () => Promise.reject(new Error('broken')))
  const response = await fetch(url)
  assert.deepEqual([response.status, await response.text()], [500, 'The metrics could not be collected.\n'])
})
