import assert from 'node:assert/strict'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { openRaw, sendRaw } from '../support/raw.ts'

const test = testWith(start)

async function start() {
  const service = await sharedContractService()
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`
  return { ...service, head, closing: `${head}Connection: close\r\n\r\n` }
}

const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
const PONG = '{"jsonrpc":"2.0","id":2,"result":{}}'
const JSON_OF_40 = 'Content-Type: application/json\r\nContent-Length: 40\r\n'

test('a target in absolute form, as a proxy sends it, is the path in it', async ({ url, closing }) => {
  assert.equal((await sendRaw(url, `GET http://any.example/workspace?x HTTP/1.1\r\n${closing}`)).status, 200)
  const put = await sendRaw(url, `PUT https://any.example:8443/tasks HTTP/1.1\r\n${closing}`)
  assertProblem(put, 405, 'method_not_allowed')
  assert.equal(put.headers.allow, 'GET, HEAD')
})

test('CONNECT opens no tunnel: it is a problem, and the connection is closed', async ({ url }) => {
  assertProblem(await sendRaw(url, 'CONNECT any.example:443 HTTP/1.1\r\nHost: any.example\r\n\r\n'), 404, 'not_found')
  const known = await sendRaw(url, 'CONNECT /workspace HTTP/1.1\r\nHost: x\r\n\r\n')
  assertProblem(known, 405, 'method_not_allowed')
  assert.equal(known.headers.allow, 'GET, HEAD')
})

test('Expect: 100-continue gets 100 Continue, then the response', async ({ url, closing }) => {
  const connection = await openRaw(url)
  connection.write(`POST /mcp HTTP/1.1\r\nExpect: 100-continue\r\n${JSON_OF_40}${closing}`)
  assert.equal((await connection.next()).status, 100)
  connection.write(PING)
  assert.equal((await connection.next()).text, PONG)
})

test('Expect: 100-continue gets no 100 Continue if the request will be refused', async ({ url, head }) => {
  const expecting = 'HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\n'
  const large = `Content-Type: application/json\r\nContent-Length: 1048577\r\n`
  assertMcpProblem(await sendRaw(url, `POST /mcp ${expecting}${head}${large}\r\n`), 400, 'payload_too_large')
  assertMcpProblem(await sendRaw(url, `POST /mcp ${expecting}Host: x\r\n${JSON_OF_40}\r\n`), 401, 'unauthorized')
  assertProblem(await sendRaw(url, `PUT /tasks ${expecting}${head}${JSON_OF_40}\r\n`), 405, 'method_not_allowed')
})

test('consecutive requests on one connection get their responses in order, a refused one and CONNECT too', async ({
  url,
  head,
}) => {
  const connection = await openRaw(url)
  connection.write(
    `POST /mcp HTTP/1.1\r\n${JSON_OF_40}${head}\r\n${PING}GET /workspace HTTP/1.1\r\n${head}\r\n` +
      `GET /nothing HTTP/1.1\r\n${head}\r\nGET /tasks HTTP/1.1\r\n${head}\r\nCONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
  )
  const responses = await connection.untilClosed()
  assert.deepEqual(
    responses.map(({ status, text }) => `${status} ${text.slice(0, 12)}`),
    ['200 {"jsonrpc":"', '200 {"workspace"', '404 {"type":"/pr', '200 {"tasks":[]}', '404 {"type":"/pr'],
  )
})
