import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const POST =
  'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer '

// A connection may have 16 requests unanswered; those behind them wait.
const counts = [0, 1, 15, 16, 17, 40]
const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status)
const bodies = ['-1\r\n', '2\r\n{}x', 'G\r\n']

for (const count of counts) {
  test(`a broken body behind ${count} pipelined requests: their answers, one more, and the connection is closed`, async (t) => {
    const { url, key } = await startContractService(t)
    for (const body of bodies) {
      const connection = await openRaw(url)
      connection.write(`${GET.repeat(count)}${POST}${key}\r\n\r\n${body}`)
      const responses = await connection.untilClosed()
      const last = responses.pop() as HttpResponse
      assert.deepEqual(statusesOf(responses), Array(count).fill(200))
      assertProblem(last, 400, 'bad_request')
      assert.equal(last.headers.connection, 'close')

      // Without a key, a head is answered as soon as it is there: with 401 if the body broke off later.
      const withoutKey = await openRaw(url)
      withoutKey.write(`${GET.repeat(count)}${POST}none\r\n\r\n${body}`)
      const told = statusesOf(await withoutKey.untilClosed())
      assert.ok([400, 401].includes(told.pop() ?? 0))
      assert.deepEqual(told, Array(count).fill(200))
    }
  })
}

test('a request that was answered before its body broke off gets no second answer', async (t) => {
  const { url } = await startContractService(t)
  const connection = await openRaw(url)
  connection.write(`${POST}none\r\n\r\n2\r\n`)
  assertMcpProblem(await connection.next(), 401, 'unauthorized')
  connection.write('{}x\r\n')
  assert.deepEqual(await connection.untilClosed(), [])
})

test('a client that goes on sending after a refused request gets one answer', async (t) => {
  const { url, key } = await startContractService(t)
  const connection = await openRaw(url)
  connection.socket.setNoDelay()
  connection.write(`${GET.repeat(40)}${POST}${key}\r\n\r\n-1\r\n`)
  const sending = setInterval(() => connection.write('x'), 1)
  t.after(() => clearInterval(sending))
  const responses = await connection.untilClosed()
  assert.equal(responses.length, 41)
  assertProblem(responses[40] as HttpResponse, 400, 'bad_request')
})
