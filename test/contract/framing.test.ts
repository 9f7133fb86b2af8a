import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { assertProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { testOnce } from '../support/database.ts'
import { openRaw, sendRaw } from '../support/raw.ts'

const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
const PONG = '{"jsonrpc":"2.0","id":2,"result":{}}'
const CHUNKED_PING = `28\r\n${PING}\r\n0\r\n\r\n`

async function start(t: TestContext) {
  const { url, key } = await startContractService(t)
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  return { url, head }
}

test('HTTP/1.0 with chunks is answered, and the connection closed, whatever it asked for and whatever follows', async (t) => {
  const { url, head } = await start(t)
  const post = `POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\n${head}Transfer-Encoding: chunked\r\n\r\n${CHUNKED_PING}`
  for (const following of ['', `GET /workspace HTTP/1.1\r\n${head}\r\n`]) {
    const response = await sendRaw(url, post + following)
    assert.equal(response.text, PONG)
    assert.equal(response.headers.connection, 'close')
  }
})

test('HTTP/1.0 with a length may keep its connection', async (t) => {
  const { url, head } = await start(t)
  const connection = await openRaw(url)
  for (let i = 0; i < 2; i++) {
    connection.write(`POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\n${head}Content-Length: 40\r\n\r\n${PING}`)
    const response = await connection.next()
    assert.equal(response.text, PONG)
    assert.equal(response.headers.connection, 'keep-alive')
  }
  connection.socket.destroy()
})

test('a transfer coding besides chunked is not undone, and closes the connection', async (t) => {
  const { url, head } = await start(t)
  const post = `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKED_PING}`
  assert.equal((await sendRaw(url, post)).headers.connection, 'close')
})

const DOUBTFUL: Record<string, string> = {
  'a length and chunks': `Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED_PING}`,
  'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: 40\r\n\r\n${CHUNKED_PING}`,
  'two lengths': `Content-Length: 40\r\nContent-Length: 41\r\n\r\n${PING}`,
  'the same length twice': `Content-Length: 40\r\nContent-Length: 40\r\n\r\n${PING}`,
  'a length with a sign': `Content-Length: +40\r\n\r\n${PING}`,
  'a transfer coding that is not chunked': `Transfer-Encoding: identity\r\n\r\n${PING}`,
  'something like chunked': `Transfer-Encoding: xchunked\r\n\r\n${CHUNKED_PING}`,
  'chunked and then another coding': `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${CHUNKED_PING}`,
  'a folded header': `X-A: b\r\n c\r\nContent-Length: 40\r\n\r\n${PING}`,
  'a space before a colon': `X-A : b\r\nContent-Length: 40\r\n\r\n${PING}`,
  'a carriage return alone in a header': `X-A: b\rX-B: c\r\nContent-Length: 40\r\n\r\n${PING}`,
  'chunks whose lines end with a line feed alone': `Transfer-Encoding: chunked\r\n\r\n${CHUNKED_PING.replaceAll('\r', '')}`,
}

for (const [name, rest] of Object.entries(DOUBTFUL))
  testOnce(`a request with ${name} is a 400, and what follows it is not read`, async (t) => {
    const { url, head } = await start(t)
    const following = `GET /workspace HTTP/1.1\r\n${head}\r\n`
    assertProblem(await sendRaw(url, `POST /mcp HTTP/1.1\r\n${head}${rest}${following}`), 400, 'bad_request')
  })

test('lines that end with a line feed alone are a 400', async (t) => {
  const { url } = await start(t)
  assertProblem(await sendRaw(url, 'GET /workspace HTTP/1.1\nHost: x\n\n'), 400, 'bad_request')
})

test('chunk extensions and trailers are passed over', async (t) => {
  const { url, head } = await start(t)
  const connection = await openRaw(url)
  const post = `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`
  connection.write(`${post}28;a=b\r\n${PING}\r\n0\r\n\r\n${post}28\r\n${PING}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`)
  assert.equal((await connection.next()).text, PONG)
  assert.equal((await connection.next()).text, PONG)
  connection.socket.destroy()
})

test('TRACE echoes nothing', async (t) => {
  const { url } = await start(t)
  const response = await sendRaw(
    url,
    'TRACE /workspace HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Secret: s3cr3t\r\n\r\n',
  )
  assertProblem(response, 405, 'method_not_allowed')
  assert.ok(!response.text.includes('s3cr3t'))
})
