// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { openRaw, sendRaw } from '../support/raw.ts'
import { sharedContractService } from '../support/shared-service.ts'

const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
const PONG = '{"jsonrpc":"2.0","id":2,"result":{}}'
const CHUNKED_PING = `28\r\n${PING}\r\n0\r\n\r\n`

async function start() {
  const { url, key } = await sharedContractService()
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  return { url, head }
}

test('HTTP/1.0 with chunks gets a response, and the connection is closed, whatever it asked for and whatever follows', async () => {
  const { url, head } = await start()
  const post = `POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\n${head}Transfer-Encoding: chunked\r\n\r\n${CHUNKED_PING}`
  for (const following of ['', `GET /workspace HTTP/1.1\r\n${head}\r\n`]) {
    const response = await sendRaw(url, post + following)
    assert.equal(response.text, PONG)
    assert.equal(response.headers.connection, 'close')
  }
})

test('HTTP/1.0 with a length may keep its connection', async () => {
  const { url, head } = await start()
  const connection = await openRaw(url)
  for (let i = 0; i < 2; i++) {
    connection.write(`POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\n${head}Content-Length: 40\r\n\r\n${PING}`)
    const response = await connection.next()
    assert.equal(response.text, PONG)
    assert.equal(response.headers.connection, 'keep-alive')
  }
})

test('a transfer coding besides chunked is not decoded, and closes the connection', async () => {
  const { url, head } = await start()
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
  test(`a request with ${name} is a 400, and what follows it is not read`, async () => {
    const { url, head } = await start()
    const following = `GET /workspace HTTP/1.1\r\n${head}\r\n`
    assertProblem(await sendRaw(url, `POST /mcp HTTP/1.1\r\n${head}${rest}${following}`), 400, 'bad_request')
  })

test('chunk extensions and trailers are ignored', async () => {
  const { url, head } = await start()
  const connection = await openRaw(url)
  const post = `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`
  connection.write(`${post}28;a=b\r\n${PING}\r\n0\r\n\r\n${post}28\r\n${PING}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`)
  assert.equal((await connection.next()).text, PONG)
  assert.equal((await connection.next()).text, PONG)
})

test('TRACE echoes nothing', async () => {
  const { url } = await start()
  const response = await sendRaw(
    url,
    'TRACE /workspace HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Secret: s3cr3t\r\n\r\n',
  )
  assertProblem(response, 405, 'method_not_allowed')
  assert.ok(!response.text.includes('s3cr3t'))
})

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const POST =
  'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer '

// A connection may have 16 pending requests; later ones wait.
const counts = [0, 1, 15, 16, 17, 40]
const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status)
const bodies = ['-1\r\n', '2\r\n{}x', 'G\r\n', 'fffffffffffffffff\r\n']

for (const count of counts) {
  test(`a broken body behind ${count} pipelined requests: their responses, one more, and the connection is closed`, async () => {
    const { url, key } = await sharedContractService()
    for (const body of bodies) {
      const connection = await openRaw(url)
      connection.write(`${GET.repeat(count)}${POST}${key}\r\n\r\n${body}`)
      const responses = await connection.untilClosed()
      const last = responses.pop() as HttpResponse
      assert.deepEqual(statusesOf(responses), Array(count).fill(200))
      assertProblem(last, 400, 'bad_request')
      assert.equal(last.headers.connection, 'close')

      // Without a key, a head gets its 401 immediately, even if the body breaks off later.
      const withoutKey = await openRaw(url)
      withoutKey.write(`${GET.repeat(count)}${POST}none\r\n\r\n${body}`)
      const told = statusesOf(await withoutKey.untilClosed())
      assert.ok([400, 401].includes(told.pop() ?? 0))
      assert.deepEqual(told, Array(count).fill(200))
    }
  })
}

test('a request that got a response before its body broke off gets no second one', async () => {
  const { url } = await sharedContractService()
  const connection = await openRaw(url)
  connection.write(`${POST}none\r\n\r\n2\r\n`)
  assertMcpProblem(await connection.next(), 401, 'unauthorized')
  connection.write('{}x\r\n')
  assert.deepEqual(await connection.untilClosed(), [])
})

test('a client that keeps sending after a refused request gets one response', async (t) => {
  const { url, key } = await sharedContractService()
  const connection = await openRaw(url)
  connection.socket.setNoDelay()
  connection.write(`${GET.repeat(40)}${POST}${key}\r\n\r\n-1\r\n`)
  const sending = setInterval(() => connection.write('x'), 1)
  t.after(() => clearInterval(sending))
  const responses = await connection.untilClosed()
  assert.equal(responses.length, 41)
  assertProblem(responses[40] as HttpResponse, 400, 'bad_request')
})

const get = (...lines: string[]) => `GET /workspace HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`

test('each request on a connection is checked by its own key', async () => {
  const { url, key, createKey, keys } = await sharedContractService()
  const revoked = await createKey()
  const other = await createKey({ quota: { limit: 7, windowSeconds: 60 } })
  // A different last character: the checksum does not match.
  const broken = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
  const connection = await openRaw(url)
  const ask = async (...lines: string[]) => {
    connection.write(get(...lines))
    const { status, headers } = await connection.next()
    return `${status} ${headers['ratelimit-limit']}`
  }
  for (let round = 0; round < 3; round++) {
    assert.equal(await ask(`Authorization: Bearer ${key}`), '200 600')
    assert.equal(await ask(`Authorization: Bearer ${other.token}`), '200 7')
    assert.equal(await ask(`Authorization: Bearer ${broken}`), '401 600')
    assert.equal(await ask(), '401 600')
    assert.equal(await ask(`Authorization: Bearer ${revoked.token}`), round === 0 ? '200 600' : '401 600')
    if (round === 0) await keys.revoke(revoked.id)
  }
})

test('a request with two keys is 401', async () => {
  const { url, key } = await sharedContractService()
  const connection = await openRaw(url)
  connection.write(get(`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`))
  assert.equal((await connection.next()).status, 401)
})

test('a body may arrive in any number of pieces', async () => {
  const { url, key } = await sharedContractService()
  const connection = await openRaw(url)
  connection.socket.setNoDelay()
  const body = '{"jsonrpc":"2.0","id":"é","method":"ping"}'
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const whole = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const bodyAt = whole.length - Buffer.byteLength(body)
  for (const cut of [bodyAt, bodyAt + 1, whole.length - 20, whole.length - 1]) {
    connection.write(whole.subarray(0, cut))
    await new Promise((resolve) => setTimeout(resolve, 20))
    connection.write(whole.subarray(cut))
    assert.equal((await connection.next()).text, '{"jsonrpc":"2.0","id":"é","result":{}}')
  }
  connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const rest = Buffer.from(body).subarray(1)
  connection.write(Buffer.concat([Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from('\r\n0\r\n\r\n')]))
  assert.equal((await connection.next()).text, '{"jsonrpc":"2.0","id":"é","result":{}}')
  connection.write(`${head}\r\n`)
  assert.match((await connection.next()).text, /The body is empty/)
})
