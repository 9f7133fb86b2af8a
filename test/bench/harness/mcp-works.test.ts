// Run once: the harness starts databases of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isRecorded } from '../../../bench/harness/checks.ts'
import { exchange, headerOf } from '../../../bench/harness/exchange.ts'
import { taskFixture } from '../../../bench/harness/fixture.ts'
import { ID, toBytesOf2026 } from '../../../bench/harness/mcp-requests.ts'
import { mcpWorks, v2Works } from '../../../bench/harness/mcp-works.ts'
import { listen } from '../../support/listen.ts'
import { startService } from '../../support/service.ts'

test('measured requests get correct responses in their own protocol, also a moment later', async (t) => {
  const service = await startService(t)
  await service.addTasks(taskFixture)
  const port = Number(new URL(service.url).port)
  for (const { name, protocol, toRequest, check } of [...mcpWorks, ...v2Works]) {
    const response = await exchange(port, toRequest(service.key))
    assert.equal(check(response), undefined, name)
    assert.equal(headerOf(response, 'x-service-api-version'), protocol, name)
    service.time.now += 1
    assert.equal(isRecorded(response)(await exchange(port, toRequest(service.key))), undefined, name)
  }
})

test('a response without the tasks, or to another request, is rejected', async (t) => {
  const service = await startService(t)
  await service.addTasks(taskFixture.slice(0, 1))
  const port = Number(new URL(service.url).port)
  for (const { name, toRequest, check } of [...mcpWorks, ...v2Works].filter(({ name }) => name.includes('list_tasks')))
    assert.match(check(await exchange(port, toRequest(service.key))) ?? '', /result/, name)
})

/** What a request contained, except for the server's address. */
const headersOf = ({ rawHeaders }: IncomingMessage) =>
  Array.from({ length: rawHeaders.length / 2 }, (_, i) => [rawHeaders[2 * i]?.toLowerCase(), rawHeaders[2 * i + 1]])
    .filter(([name]) => name !== 'host' && name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`)

test('an MCP 2026 request is the one that the official client sends', async (t) => {
  const { promise: seen, resolve: see } = Promise.withResolvers<{ headers: string[]; body: string }>()
  const service = await startService(t)
  const server = createServer(async (req, res) => {
    const body = await text(req)
    if (req.headers['mcp-method'] === 'tools/call') see({ headers: headersOf(req), body })
    const headers = Object.fromEntries(headersOf(req).map((line) => line.split(': ') as [string, string]))
    delete headers.connection
    const response = await fetch(`${service.url}/v2/mcp`, { method: 'POST', headers, body })
    res.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
  })
  t.after(() => server.close())
  const port = await listen(server)
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${service.key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/`), { requestInit }))
  await client.callTool({ name: 'list_tasks', arguments: { limit: 5 } })
  const sent = await seen
  await client.close()

  const params = { name: 'list_tasks', arguments: { limit: 5 } }
  const own = createServer()
  t.after(() => own.close())
  const [ownPort, received] = [await listen(own), once(own, 'request')]
  const request = toBytesOf2026(service.key, { path: '/v2/mcp', method: 'tools/call', params })
  const done = exchange(ownPort, request)
  const [req, res] = await received
  const body = await text(req)
  res.end()
  await done
  assert.deepEqual(headersOf(req), sent.headers)
  assert.deepEqual(JSON.parse(body), { ...JSON.parse(sent.body), id: ID })
})
