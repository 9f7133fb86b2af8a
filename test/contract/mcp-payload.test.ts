import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { openRaw } from '../support/raw.ts'

const MEBIBYTE = 1_048_576

/** A ping of exactly so many bytes. */
function ping(bytes: number): Buffer {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"', '"}}']
  return Buffer.from(head + 'x'.repeat(bytes - head.length - tail.length) + tail)
}

/** Cut into chunks, as a client sends it that does not know the length beforehand. */
const chunked = (body: Buffer) =>
  Array.from({ length: Math.ceil(body.length / 65_536) }, (_, n) => body.subarray(n * 65_536, (n + 1) * 65_536))

test('a body of exactly 1 MiB is accepted, with a length or in chunks', async (t) => {
  const { send, key } = await startContractService(t)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const body of [ping(MEBIBYTE), chunked(ping(MEBIBYTE))]) {
    const answer = await send('/mcp', { method: 'POST', headers, body })
    assert.equal(answer.text, '{"jsonrpc":"2.0","id":1,"result":{}}')
  }
})

test('a body of one byte more is 400 payload_too_large, with a length or in chunks', async (t) => {
  const { send, key } = await startContractService(t)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const path of ['/mcp', '/v1/mcp'])
    for (const body of [ping(MEBIBYTE + 1), chunked(ping(MEBIBYTE + 1))])
      assertMcpProblem(await send(path, { method: 'POST', headers, body }), 400, 'payload_too_large')
})

test('a length that is too large is refused before the body arrives', async (t) => {
  const { url, key } = await startContractService(t)
  const connection = await openRaw(url)
  connection.write(
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 99999999999\r\n\r\n',
  )
  assertMcpProblem(await connection.next(), 400, 'payload_too_large')
  connection.socket.destroy()
})

test('what was too large does not spoil the connection for the next request', async (t) => {
  const { url, key } = await startContractService(t)
  const connection = await openRaw(url)
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`)
  const refused = await connection.next()
  assertMcpProblem(refused, 400, 'payload_too_large')
  if (refused.headers.connection === 'close') return
  connection.write(`${head}Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}`)
  assert.equal((await connection.next()).text, '{"jsonrpc":"2.0","id":2,"result":{}}')
  connection.socket.destroy()
})

test('a deeply nested body is answered like any other', async (t) => {
  const { rpc } = await startContractService(t)
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const bodies: [id: string, depth: number][] = [
    ['1', 200_000],
    ['1.5', 200_000],
    ['12345678901234567890', 30_000],
  ]
  for (const [id, depth] of bodies) {
    const answer = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"a":${nested(depth)}}}`)
    assert.equal(answer.text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
  }
})
