import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { assertMcpProblem } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { openRaw } from '../support/raw.ts'

const test = testWith(sharedContractService)

const MEBIBYTE = 1_048_576

/** A ping of exactly this many bytes. */
function ping(bytes: number): Buffer {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"', '"}}']
  return Buffer.from(head + 'x'.repeat(bytes - head.length - tail.length) + tail)
}

/** Chunked, as from a client that does not know the length beforehand. */
const chunked = (body: Buffer) =>
  Array.from({ length: Math.ceil(body.length / 65_536) }, (_, n) => body.subarray(n * 65_536, (n + 1) * 65_536))

test('a body of exactly 1 MiB is accepted, with a length or in chunks', async ({ send, key }) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const body of [ping(MEBIBYTE), chunked(ping(MEBIBYTE))]) {
    const response = await send('/mcp', { method: 'POST', headers, body })
    assert.equal(response.text, '{"jsonrpc":"2.0","id":1,"result":{}}')
  }
})

test('a body of one byte more is 400 payload_too_large, with a length or in chunks', async ({ send, key }) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const path of ['/mcp', '/v1/mcp'])
    for (const body of [ping(MEBIBYTE + 1), chunked(ping(MEBIBYTE + 1))])
      assertMcpProblem(await send(path, { method: 'POST', headers, body }), 400, 'payload_too_large')
})

test('a length that is too large is refused before the body arrives', async ({ url, key }) => {
  const connection = await openRaw(url)
  connection.write(
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 99999999999\r\n\r\n',
  )
  assertMcpProblem(await connection.next(), 400, 'payload_too_large')
})

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const pingWith = (value: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${value}}}`

test('a body may nest 64 levels deep, and one level more is 400 invalid_json that names the limit', async ({ rpc }) => {
  assert.equal((await rpc(pingWith(nested(62)))).text, '{"jsonrpc":"2.0","id":1,"result":{}}')
  for (const value of [nested(63), nested(500_000), '['.repeat(500_000), '{"a":'.repeat(100_000)]) {
    const response = await rpc(pingWith(value))
    assertMcpProblem(response, 400, 'invalid_json')
    assert.equal((response.json as { detail: string }).detail, 'The body nests deeper than 64 levels.')
  }
})

test('a body may contain 10,000 values, and one more is 400 invalid_json that names the limit', async ({ rpc }) => {
  const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`
  // The envelope has three commas of its own.
  assert.equal((await rpc(pingWith(zeros(9_997)))).text, '{"jsonrpc":"2.0","id":1,"result":{}}')
  const members = Array.from({ length: 80_000 }, (_, i) => `"k${i}":0`).join()
  for (const value of [zeros(9_998), zeros(500_000), `{${members}}`]) {
    const response = await rpc(pingWith(value))
    assertMcpProblem(response, 400, 'invalid_json')
    assert.equal((response.json as { detail: string }).detail, 'The body holds more than 10000 values.')
  }
})

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

test('JSON in UTF-8 is accepted however its type is written', async ({ rpc }) => {
  const types = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; Charset=Utf-8',
  ]
  for (const type of types) assert.equal((await rpc(PING, { 'content-type': type })).status, 200, type)
})

test('every other media type is 400 unsupported_media_type', async ({ rpc }) => {
  const types = [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/json; charset=latin1',
    'application/json, text/plain',
    'json',
    '*/*',
  ]
  for (const type of types) assertMcpProblem(await rpc(PING, { 'content-type': type }), 400, 'unsupported_media_type')
})

test('a compressed body is 400 unsupported_media_type; identity is not compression', async ({ rpc }) => {
  for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'nonsense'])
    assertMcpProblem(await rpc(gzipSync(PING), { 'content-encoding': encoding }), 400, 'unsupported_media_type')
  assert.equal((await rpc(PING, { 'content-encoding': 'identity' })).status, 200)
})

test('no Accept header is required, and the response is JSON whatever it contains', async ({ rpc }) => {
  for (const accept of ['application/json, text/event-stream', 'text/event-stream', 'text/html', '*/*', 'nonsense']) {
    const response = await rpc(PING, { accept })
    assert.equal(response.status, 200)
    assert.equal(response.headers['content-type'], 'application/json')
  }
})
