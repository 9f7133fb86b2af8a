import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import test from 'node:test'
import { assertProblem } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { sendRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

// Only the slow client may use this server: on a busy machine, every client is slow.
const start = (t: TestContext, env: Record<string, string> = {}) =>
  startService(t, {
    env,
    limits: { headersTimeoutMs: 150, requestTimeoutMs: 300, checkIntervalMs: 25 },
  })

test('headers that do not end in time get a 408 problem', async (t) => {
  const { url } = await start(t)
  const response = await sendRaw(url, 'GET /workspace HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  assertProblem(response, 408, 'request_timeout')
  assert.equal(response.headers.connection, 'close')
})

test("a body that does not end in time gets a 408 problem, as in the endpoint's contract", async (t) => {
  const { url, key } = await start(t)
  const { conform } = await sharedContractService()
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  for (const slow of ['Content-Length: 100\r\n\r\n{"json', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"jso\r\n']) {
    const response = await sendRaw(url, head + slow)
    conform('POST', '/mcp', response)
    assertProblem(response, 408, 'request_timeout')
    assert.equal(response.headers.connection, 'close')
  }
})

test('the 408 for an admitted request has the headers of its key and its path, and is its line in the log', async (t) => {
  const lifecycle = { '/v1/mcp': { deprecation: '2096-11-01T00:00:00Z' } }
  const { url, createKey, logLines, stop } = await start(t, { LIFECYCLE: JSON.stringify(lifecycle) })
  const { token: key, id } = await createKey({ quota: { limit: 7, windowSeconds: 60 } })
  const head = `POST /v1/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  let response: HttpResponse | undefined
  // A busy machine may read the head too late to admit the request.
  await waitUntil(async () => {
    response = await sendRaw(url, `${head}Content-Length: 9\r\n\r\n{`)
    return response.headers['ratelimit-remaining'] !== undefined
  })
  const { status, headers } = response ?? assert.fail()
  assert.deepEqual(
    [status, headers['ratelimit-policy'], headers['ratelimit-remaining'], headers.deprecation],
    [408, '7;w=60', '6', '@4002566400'],
  )
  await stop()
  const lines = logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === headers['x-request-id'])
  assert.deepEqual(
    lines.map(({ status, code, keyId, path }) => [status, code, keyId, path]),
    [[408, 'request_timeout', id, '/v1/mcp']],
  )
})
