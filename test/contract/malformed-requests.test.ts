// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import { assertProblem, POLICY } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { openRaw, sendRaw } from '../support/raw.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

const POST = 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

const broken: [what: string, bytes: string][] = [
  ['a broken request line', 'GARBAGE\r\n\r\n'],
  ['an unknown method', 'FOO /workspace HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a method in small letters', 'get /workspace HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['the greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an HTTP version that is none', 'GET /workspace HTTP/3.0\r\nHost: x\r\n\r\n'],
  ['a target that is no path', 'GET workspace HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['raw bytes in the target', 'GET /w\xf6rkspace HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a space in the name of a header', 'GET /workspace HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n'],
  ['a header without a colon', 'GET /workspace HTTP/1.1\r\nHost: x\r\nBad\r\n\r\n'],
  ['a NUL in a header', 'GET /workspace HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
  ['bare line feeds', 'GET /workspace HTTP/1.1\nHost: x\n\n'],
  ['a negative length', `${POST}Content-Length: -5\r\n\r\n`],
  ['a length that is no number', `${POST}Content-Length: 5x\r\n\r\nabcde`],
  ['a transfer coding that does not end in chunks', `${POST}Transfer-Encoding: gzip\r\n\r\nabc`],
  ['a malformed percent-encoding', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a percent-encoding that is not UTF-8', 'GET /%ff%fe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a lone percent sign', 'GET /workspace% HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['no Host', 'GET /workspace HTTP/1.1\r\nConnection: close\r\n\r\n'],
]
for (const [what, bytes] of broken) {
  test(`${what} gets a 400 problem, and the connection is closed`, async ({ url }) => {
    const response = await sendRaw(url, Buffer.from(bytes, 'latin1'))
    assertProblem(response, 400, 'bad_request', POLICY)
    assert.equal(response.headers.connection, 'close')
  })
}

const oversize: [what: string, bytes: string][] = [
  ['a header of 20 kB', `GET /workspace HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a key of 20 kB', `GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a thousand headers', `GET /workspace HTTP/1.1\r\nHost: x\r\n${'X-Filler: 0123456789\r\n'.repeat(1000)}\r\n`],
  ['a target of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
]
for (const [what, bytes] of oversize) {
  test(`${what} gets a 431 problem`, async ({ url }) => {
    assertProblem(await sendRaw(url, bytes), 431, 'headers_too_large')
  })
}

test('headers of 15 kB are accepted', async ({ get }) => {
  assert.equal((await get('/workspace', { 'x-filler': 'a'.repeat(15_000) })).status, 200)
})

nodeTest(
  'a malformed chunk in the body of an admitted request is logged once, with the key and the problem',
  async (t) => {
    const { url, createKey, logLines, stop } = await startContractService(t)
    const { token, id } = await createKey()
    const connection = await openRaw(url)
    connection.write(
      `${POST}Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n`,
    )
    assert.equal((await connection.next()).status, 100)
    connection.write('ZZ\r\n')
    const { status, headers } = await connection.next()
    assert.equal(status, 400)
    await stop()
    const lines = logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === headers['x-request-id'])
    assert.deepEqual(
      lines.map(({ status: logged, code, keyId }) => [logged, code, keyId]),
      [[400, 'bad_request', id]],
    )
  },
)

test('requests that the parser rejects are logged under their request id, without their content', async (service) => {
  const { url, key, logLines } = service
  const response = await sendRaw(url, `GET /workspace HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nBad Name: 1\r\n\r\n`)
  assert.ok(logLines.some((line) => line.includes(response.headers['x-request-id'] ?? '-')))
  assert.ok(!logLines.join('').includes(key))
})

nodeTest('with PUBLIC_URL, the problem type of a rejected request is absolute too', async (t) => {
  const { url } = await startContractService(t, { env: { PUBLIC_URL: 'https://vitrine.example' } })
  const { type } = (await sendRaw(url, 'GARBAGE\r\n\r\n')).json as { type: string }
  assert.equal(type, 'https://vitrine.example/problems/bad_request')
})

test("a rejected request on an operation's path conforms to its contract", async ({ url, key, conform }) => {
  const authorization = `Authorization: Bearer ${key}\r\n`
  const requests: [method: string, path: string, rest: string][] = [
    ['GET', '/workspace', ' HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['GET', '/tasks', ` HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['POST', '/mcp', ' HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    [
      'POST',
      '/mcp',
      ` HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    ],
  ]
  for (const [method, path, rest] of requests) conform(method, path, await sendRaw(url, `${method} ${path}${rest}`))
})
