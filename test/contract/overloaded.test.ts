import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import { waitUntil } from '../support/wait.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

/** 32 MiB is what one workspace may have in flight; with these tasks, ten responses exceed it. */
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks"}}'

async function start(t: TestContext): Promise<ContractService> {
  const service = await startContractService(t, { env: { RATE_LIMIT: '100000;w=60' } })
  const text = 'é'.repeat(9000)
  await service.addTasks(
    Array.from({ length: 100 }, (_, i) => ({ id: `task ${i}`, details: text, sourceSummary: text })),
  )
  return service
}

/** A client that sends requests and reads no response. */
function silentClient(t: TestContext, url: string, requests: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  socket.write(requests)
  return socket
}

function post(key: string, body: string): string {
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
}

test('a workspace whose keys do not read their responses gets 503 with Retry-After, on REST and MCP; others do not, and it recovers', async (t) => {
  const service = await start(t)
  const { url, key, createKey, get, rpc } = service
  const greedyKeys = [key, (await createKey()).token, (await createKey()).token, (await createKey()).token]
  const other = await createBareWorkspace(service, 'other')
  const ask = () => get('/workspace')
  assert.equal((await ask()).status, 200)
  const greedy = Array.from({ length: 24 }, (_, i) =>
    silentClient(t, url, post(greedyKeys[i % 4] as string, LIST).repeat(6)),
  )
  let refused = await ask()
  while (refused.status === 200) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    refused = await ask()
  }
  assertProblem(refused, 503, 'overloaded')
  assert.match(refused.headers['retry-after'] ?? '', /^[123]$/)
  assert.equal(refused.headers['ratelimit-policy'], '100000;w=60')
  assert.ok(refused.headers['ratelimit-remaining'], 'the key was recognised')
  assert.equal((await get('/workspace', { authorization: `Bearer ${(await createKey()).token}` })).status, 503)
  const call = await rpc(LIST)
  assertMcpProblem(call, 503, 'overloaded')
  assert.match(call.headers['retry-after'] ?? '', /^[123]$/)
  const otherKey = { authorization: `Bearer ${other.key}` }
  assert.equal((await get('/tasks', otherKey)).status, 200)
  assert.equal((await rpc(LIST, otherKey)).status, 200)
  assert.equal((await get('/workspace', { authorization: 'Bearer x' })).status, 401)
  assert.equal((await get('/healthz')).status, 200)
  for (const socket of greedy) socket.destroy()
  await waitUntil(async () => (await ask()).status === 200)
})
