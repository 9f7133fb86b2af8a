import assert from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { sharedContractService, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { openAdmitted, openRaw, sendRaw } from '../support/raw.ts'
import { refusedHosts, refusedRequests } from './refused-requests.ts'

const test = testWith(async () => {
  const service = await sharedContractService()
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n`
  return { ...service, head }
})

const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
const PONG = '{"jsonrpc":"2.0","id":2,"result":{}}'
const CHUNKED_PING = `28\r\n${PING}\r\n0\r\n\r\n`

for (const what of Object.keys(refusedRequests('')))
  test(`${what} is a 400 problem, and what follows is not read`, async ({ url, key, head, conform }) => {
    const request = refusedRequests(key)[what] ?? ''
    const response = await sendRaw(url, Buffer.from(`${request}GET /workspace HTTP/1.1\r\n${head}\r\n`, 'latin1'))
    assertProblem(response, 400, 'bad_request')
    assert.equal(response.headers.connection, 'close')
    const [, method, path] = /^(GET|POST) (\/\w+) HTTP\/1\.1\r/.exec(request) ?? []
    if (method !== undefined && path !== undefined) conform(method, path, response)
  })

test('a head over 16 KiB is a 431, and one of 15 kB is accepted', async ({ url, get }) => {
  const long = 'a'.repeat(20_000)
  const GET = 'GET /workspace HTTP/1.1\r\nHost: x\r\n'
  for (const bytes of [
    `${GET}X: ${long}\r\n\r\n`,
    `${GET}Authorization: Bearer ${long}\r\n\r\n`,
    `${GET}${'X-Filler: 0123456789\r\n'.repeat(1000)}\r\n`,
    `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ])
    assertProblem(await sendRaw(url, bytes), 431, 'headers_too_large')
  assert.equal((await get('/workspace', { 'x-filler': 'a'.repeat(15_000) })).status, 200)
})

const targets = ['GET /workspace', 'POST /mcp', 'GET /nowhere', 'GET /healthz', 'GET /settings', 'PUT /tasks']
for (const [what, lines] of Object.entries(refusedHosts))
  test(`a Host header that contains ${what} is a 400, on every path and before the key is checked`, async (service) => {
    const { url, key } = service
    for (const target of targets) {
      const request = `${target} HTTP/1.1\r\n${lines}Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`
      const response = await sendRaw(url, Buffer.from(request, 'latin1'))
      const assertRefused = target === 'POST /mcp' ? assertMcpProblem : assertProblem
      assertRefused(response, 400, 'bad_request')
      assert.equal(response.headers['ratelimit-remaining'], undefined)
    }
    if (lines === '') return
    const old = await sendRaw(url, Buffer.from(`GET /healthz HTTP/1.0\r\n${lines}\r\n`, 'latin1'))
    assertProblem(old, 400, 'bad_request')
  })

test('chunks in HTTP/1.0, or under another coding, close the connection, whatever follows', async ({ url, head }) => {
  const old = `POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\n${head}Transfer-Encoding: chunked\r\n\r\n${CHUNKED_PING}`
  for (const following of ['', `GET /workspace HTTP/1.1\r\n${head}\r\n`]) {
    const { text, headers } = await sendRaw(url, old + following)
    assert.deepEqual([text, headers.connection], [PONG, 'close'])
  }
  const packed = `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKED_PING}`
  assert.equal((await sendRaw(url, packed)).headers.connection, 'close')
})

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const POST =
  'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer '
const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status)

// A connection may have 16 pending requests; later ones wait.
for (const count of [0, 16, 40])
  test(`a broken body behind ${count} pipelined requests: their responses, one more, and the connection is closed`, async (service) => {
    const { url, key } = service
    for (const body of ['-1\r\n', '2\r\n{}x', 'G\r\n', 'fffffffffffffffff\r\n']) {
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

test('each request on a connection is checked by its own key, and one with two keys is 401', async (service) => {
  const { url, key, createKey, keys } = service
  const [revoked, other] = [await createKey(), await createKey({ quota: { limit: 7, windowSeconds: 60 } })]
  // A different last character: the checksum does not match.
  const broken = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
  const connection = await openRaw(url)
  const ask = async (...tokens: string[]) => {
    const lines = tokens.map((token) => `Authorization: Bearer ${token}\r\n`)
    connection.write(`GET /workspace HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`)
    const { status, headers } = await connection.next()
    return `${status} ${headers['ratelimit-limit']}`
  }
  for (let round = 0; round < 3; round++) {
    assert.equal(await ask(key), '200 600')
    assert.equal(await ask(other.token), '200 7')
    assert.equal(await ask(broken), '401 600')
    assert.equal(await ask(), '401 600')
    assert.equal(await ask(key, key), '401 600')
    assert.equal(await ask(revoked.token), round === 0 ? '200 600' : '401 600')
    if (round === 0) await keys.revoke(revoked.id)
  }
})

nodeTest(
  'a request that the parser rejects is logged once, with the key that was admitted, without its content',
  async (t) => {
    const { url, createKey, logLines, stop } = await startContractService(t)
    const { token, id } = await createKey()
    const connection = await openAdmitted(url, token, 'in chunks')
    connection.write('ZZ\r\n')
    const admitted = await connection.next()
    const refused = await sendRaw(
      url,
      `GET /workspace HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nBad Name: 1\r\n\r\n`,
    )
    await stop()
    const linesOf = ({ headers }: HttpResponse) =>
      logLines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === headers['x-request-id'])
    assert.deepEqual(
      [...linesOf(admitted), ...linesOf(refused)].map(({ status, code, keyId }) => [status, code, keyId]),
      [
        [400, 'bad_request', id],
        [400, undefined, undefined],
      ],
    )
    assert.ok(!logLines.join('').includes(token))
  },
)
