import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import test, { type TestContext } from 'node:test'
import { listen } from '../support/listen.ts'
import { findViolation } from './oracle.ts'
import type { Sent } from './requests.ts'
import { sendConversation } from './send-conversation.ts'

const ID = '01234567-89ab-4cde-8f01-23456789abcd'
const PROBLEM = { type: '/problems/not_found', title: 'Nothing here', status: 404, code: 'not_found' }
const WHOLE = { ...PROBLEM, detail: 'There is nothing.', hint: 'Look elsewhere.' }

const response = (status: string, headers: string[], body: string, length = Buffer.byteLength(body)) =>
  `HTTP/1.1 ${status}\r\n${[`X-Request-Id: ${ID}`, `Content-Length: ${length}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`
const problem = (body: object, status = '404 Not Found') =>
  response(status, ['Content-Type: application/problem+json', 'Cache-Control: no-store'], JSON.stringify(body))

const UNKNOWN_METHOD = {
  code: -32601,
  message: 'x',
  data: { ...WHOLE, code: 'method_not_found', type: '/problems/method_not_found' },
}
const rpcError = (error: object, status = '404 Not Found') =>
  response(
    status,
    ['Content-Type: application/json', 'Cache-Control: no-store'],
    JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
  )

/** What the oracle reports for a server that always responds with these bytes. */
async function verdict(t: TestContext, bytes: string, sent: Partial<Sent> = {}): Promise<string | undefined> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes)))
  const port = await listen(server)
  t.after(() => server.close())
  const request = { bytes: Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), method: 'GET', path: undefined, ...sent }
  const conversation = { requests: [request], cuts: [], resets: false }
  const transcript = await sendConversation(`http://127.0.0.1:${port}`, conversation, 600_000)
  return findViolation({ conform: () => {}, secrets: ['/var/data'] }, conversation, transcript)
}

test('a complete problem and an ordinary response pass', async (t) => {
  assert.equal(await verdict(t, problem(WHOLE)), undefined)
  assert.equal(await verdict(t, response('200 OK', [], '{}')), undefined)
  const row = 'from curl/8 at 127.0.0.1</td><td><time datetime="2026-11-17T18:04:32.000Z">18:04</time>'
  assert.equal(await verdict(t, response('200 OK', [], row)), undefined)
  assert.equal(await verdict(t, response('200 OK', [], '', 5), { method: 'HEAD' }), undefined)
  assert.equal(await verdict(t, rpcError(UNKNOWN_METHOD), { path: '/v2/mcp' }), undefined)
})

const faulty: [what: string, bytes: string, sent?: Partial<Sent>][] = [
  ['no answer', ''],
  ['a 500', problem({ ...WHOLE, status: 500, code: 'internal_error' }, '500 Internal Server Error')],
  ['a body that is cut short', response('200 OK', [], '{}', 5)],
  ['bytes behind the body', response('200 OK', [], '{}', 1)],
  ['a body in answer to HEAD', response('200 OK', [], '{}'), { method: 'HEAD' }],
  ['no body in answer to GET', response('200 OK', [], '', 5)],
  ['a second answer on a closed connection', response('200 OK', [], '{}').repeat(2)],
  ['a header that is sent twice', response('200 OK', ['Vary: a', 'Vary: b'], '{}')],
  ['an error that is no problem', response('404 Not Found', ['Content-Type: text/plain'], 'Not Found')],
  ['a problem without a hint', problem(PROBLEM)],
  ['a problem with a member of its own', problem({ ...WHOLE, stack: 'x' })],
  ['a code that is not in the catalogue', problem({ ...WHOLE, code: 'nothing', type: '/problems/nothing' })],
  ['a code with the status of another', problem({ ...WHOLE, status: 400 }, '400 Bad Request')],
  ['a JSON-RPC error for a problem elsewhere', rpcError(UNKNOWN_METHOD), { path: '/mcp' }],
  ['a JSON-RPC error without the problem', rpcError({ code: -32601, message: 'x' }), { path: '/v2/mcp' }],
  ['a JSON-RPC error with another status', rpcError(UNKNOWN_METHOD, '400 Bad Request'), { path: '/v2/mcp' }],
  ['an unknown version without the known ones', rpcError({ ...UNKNOWN_METHOD, code: -32022 }), { path: '/v2/mcp' }],
  ['a path of the server', problem({ ...WHOLE, detail: 'no such file: /var/data/vitrine.db' })],
  ['a statement', problem({ ...WHOLE, detail: 'syntax error in SELECT id FROM' })],
  ['a stack trace', problem({ ...WHOLE, detail: 'Error\n    at read (file:///app/src/read.ts:1:2)' })],
  ['data for a request that must be refused', response('200 OK', [], '{}'), { isRefused: true }],
]
for (const [what, bytes, sent] of faulty)
  test(`the oracle finds ${what}`, async (t) => assert.notEqual(await verdict(t, bytes, sent), undefined))
