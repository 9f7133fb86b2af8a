import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { BodyPart } from '../../src/api/http-message.ts'
import { Exchange } from '../../src/http/exchange.ts'
import { IncomingRequest, OutgoingResponse } from '../../src/http/node-internals.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { exchange } from '../support/exchange.ts'

/** A server that responds with this body, and the chunks that each of its responses was written in. */
async function serve(t: TestContext, body: readonly BodyPart[]) {
  const chunks: unknown[] = []
  const server = createServer({ IncomingMessage: IncomingRequest, ServerResponse: OutgoingResponse }, (req, res) => {
    for (const method of ['write', 'end'] as const) {
      const original = res[method].bind(res) as (...args: unknown[]) => never
      res[method] = (...args: unknown[]) => {
        if (args[0] !== undefined) chunks.push(args[0])
        return original(...args)
      }
    }
    const response = { status: 200, headers: ['Content-Type', 'text/plain'], body }
    new Exchange(req, res, 0, silentLogger).send(response, 'X-First: 1\r\nX-Second: two\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, chunks }
}

const big = Buffer.from('é'.repeat(20_000))
const other = Buffer.alloc(9000, 'x')
const small = Buffer.from('ü')

test('small parts are joined, large ones sent uncopied, in order', async (t) => {
  const { url, chunks } = await serve(t, ['head', small, big, 'middle', other, 'tail', small])
  const { status, headers, body } = await exchange(url, '/')
  const expected = Buffer.concat([Buffer.from('headü'), big, Buffer.from('middle'), other, Buffer.from('tailü')])
  assert.equal(status, 200)
  assert.ok(body.equals(expected))
  assert.equal(headers['content-length'], String(expected.length))
  assert.equal(`${headers['x-first']} ${headers['x-second']} ${headers['content-type']}`, '1 two text/plain')
  const utf8AsLatin1 = small.toString('latin1')
  assert.deepEqual(chunks, [`head${utf8AsLatin1}`, big, 'middle', other, `tail${utf8AsLatin1}`])
  assert.equal(chunks[1], big)
  assert.equal(chunks[3], other)
})

for (const [name, body] of Object.entries({
  nothing: [],
  'one large part': [big],
  'two large parts': [big, other],
  'small parts alone': ['{', small, '}'],
}))
  test(`a body of ${name} arrives complete, and HEAD gets only its length`, async (t) => {
    const { url } = await serve(t, body)
    const expected = Buffer.concat(body.map((part) => Buffer.from(part as string)))
    const got = await exchange(url, '/')
    assert.ok(got.body.equals(expected))
    const head = await exchange(url, '/', { method: 'HEAD' })
    assert.equal(`${head.headers['content-length']} ${head.body.length}`, `${expected.length} 0`)
  })
