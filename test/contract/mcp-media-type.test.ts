import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertMcpProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

test('JSON in UTF-8 is accepted however its type is written', async (t) => {
  const { rpc } = await startContractService(t)
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

test('every other media type is 400 unsupported_media_type', async (t) => {
  const { rpc } = await startContractService(t)
  const types = [
    'text/plain',
    'text/plain;charset=UTF-8',
    'text/json',
    'application/jsonp',
    'application/json-rpc',
    'application/vnd.api+json',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'json',
    '*/*',
  ]
  for (const type of types) assertMcpProblem(await rpc(PING, { 'content-type': type }), 400, 'unsupported_media_type')
})

test('a body without a media type is 400 unsupported_media_type', async (t) => {
  const { send, key } = await startContractService(t)
  const headers = { authorization: `Bearer ${key}` }
  assertMcpProblem(await send('/mcp', { method: 'POST', headers, body: PING }), 400, 'unsupported_media_type')
})

test('a compressed body is 400 unsupported_media_type; identity is none', async (t) => {
  const { rpc } = await startContractService(t)
  for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'nonsense'])
    assertMcpProblem(await rpc(gzipSync(PING), { 'content-encoding': encoding }), 400, 'unsupported_media_type')
  assert.equal((await rpc(PING, { 'content-encoding': 'identity' })).status, 200)
})

test('no Accept header is demanded, and the answer is JSON whatever it says', async (t) => {
  const { rpc } = await startContractService(t)
  for (const accept of ['application/json, text/event-stream', 'text/event-stream', 'text/html', '*/*', 'nonsense']) {
    const response = await rpc(PING, { accept })
    assert.equal(response.status, 200)
    assert.equal(response.headers['content-type'], 'application/json')
  }
})
