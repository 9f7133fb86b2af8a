import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { lengthOf, send } from '../../src/http/responses.ts'
import { exchange } from '../support/exchange.ts'
import { listenUntilEnd } from '../support/listen.ts'

const HEADERS = ['Content-Type', 'text/plain']

/** A server that responds with this body. */
async function serve(t: TestContext, body: readonly Buffer[]): Promise<string> {
  const server = createServer((_req, res) => {
    send(res, { status: 200, headers: [], body }, [...HEADERS, 'Content-Length', String(lengthOf(body))])
  })
  return `http://127.0.0.1:${await listenUntilEnd(t, server)}`
}

const big = Buffer.from('é'.repeat(20_000))
const other = Buffer.alloc(9000, 'x')
/** Not ASCII: small bodies are sent as Latin-1 text. */
const small = Buffer.from('ü')

for (const [name, body] of Object.entries({
  nothing: [],
  'one large part': [big],
  'two large parts': [big, other],
  'small parts': [small, small],
}))
  test(`a body of ${name} arrives complete, and HEAD gets only its length`, async (t) => {
    const url = await serve(t, body)
    const expected = Buffer.concat(body)
    const got = await exchange(url, '/')
    assert.ok(got.body.equals(expected))
    const head = await exchange(url, '/', { method: 'HEAD' })
    assert.equal(`${head.headers['content-length']} ${head.body.length}`, `${expected.length} 0`)
  })
