import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { send } from '../../src/http/responses.ts'
import { exchange } from '../support/exchange.ts'

/** A server that responds with this body, and the chunks that each of its responses was written in. */
async function serve(t: TestContext, body: readonly Buffer[]) {
  const chunks: unknown[] = []
  const server = createServer((_req, res) => {
    for (const method of ['write', 'end'] as const) {
      const original = res[method].bind(res) as (...args: unknown[]) => never
      res[method] = (...args: unknown[]) => {
        if (args[0] !== undefined) chunks.push(args[0])
        return original(...args)
      }
    }
    send(res, { status: 200, headers: ['Content-Type', 'text/plain'], body }, ['X-First', '1', 'X-Second', 'two'])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, chunks }
}

const big = Buffer.from('é'.repeat(20_000))
const other = Buffer.alloc(9000, 'x')
const small = Buffer.from('ü')

for (const [name, body] of Object.entries({
  nothing: [],
  'one large part': [big],
  'two large parts': [big, other],
  'small parts': [small, small],
}))
  test(`a body of ${name} arrives complete, and HEAD gets only its length`, async (t) => {
    const { url } = await serve(t, body)
    const expected = Buffer.concat(body)
    const got = await exchange(url, '/')
    assert.ok(got.body.equals(expected))
    const head = await exchange(url, '/', { method: 'HEAD' })
    assert.equal(`${head.headers['content-length']} ${head.body.length}`, `${expected.length} 0`)
  })
