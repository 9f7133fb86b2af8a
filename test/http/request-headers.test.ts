import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTraceparent } from '../../src/http/logging.ts'
import { IncomingRequest, readHeaders } from '../../src/http/node-internals.ts'

/** What Node's parser calls. */
interface Parsed {
  joinDuplicateHeaders: boolean
  headers: Record<string, unknown>
  _addHeaderLines(raw: readonly string[], count: number): void
}

/** As Node reads them, with the server's option to join. */
function nodeHeaders(raw: readonly string[]): Record<string, unknown> {
  const message = new IncomingMessage(new Socket()) as unknown as Parsed
  message.joinDuplicateHeaders = true
  message._addHeaderLines(raw, raw.length)
  return message.headers
}

const name = fc.constantFrom(
  ...[
    'Host',
    'host',
    'HOST',
    'hOsT',
    'Authorization',
    'authorization',
    'Cookie',
    'cookie',
    'Origin',
    'User-Agent',
    'TE',
  ],
  ...[
    'Content-Length',
    'content-length',
    'Transfer-Encoding',
    'MCP-Protocol-Version',
    'Mcp-Protocol-Version',
    'mcp-name',
  ],
  ...['X-Forwarded-For', 'x-forwarded-for', 'traceparent', 'If-None-Match', 'X-Other', '__proto__', 'constructor'],
)
const value = fc.constantFrom('', 'a', 'b', 'a, b', 'é')

test('the headers that are read have the values that Node gives them, and no others are there', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), (pairs) => {
      const raw = pairs.flat()
      const { 'x-other': _, ['__proto__']: __, constructor: ___, ...expected } = nodeHeaders(raw)
      const present = Object.entries(readHeaders(raw)).filter(([, text]) => text !== undefined)
      assert.deepEqual(Object.fromEntries(present), expected)
      // Node opens no stream for a request without these, and asks by the name alone.
      for (const framing of ['content-length', 'transfer-encoding'])
        assert.equal(framing in readHeaders(raw), framing in expected)
    }),
  )
})

test('what follows the body is no header', () => {
  const request = new IncomingRequest(new Socket())
  request._addHeaderLines(['Host', 'x'], 2)
  request.complete = true
  request._addHeaderLines(['Authorization', 'Bearer vtr_x', 'Host', 'y'], 4)
  assert.equal(request.headers.authorization, undefined)
  assert.equal(request.headers.host, 'x')
})

const IDS = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'

test('a traceparent of version 00 is taken as it is, and of a later version the part that all versions have', () => {
  assert.equal(parseTraceparent(`00-${IDS}-01`), `00-${IDS}-01`)
  assert.equal(parseTraceparent(`01-${IDS}-00`), `01-${IDS}-00`)
  assert.equal(parseTraceparent(`cc-${IDS}-ff-what-comes-then`), `cc-${IDS}-ff`)
})

test('anything else is none', () => {
  const zeros = '0'.repeat(32)
  for (const text of [
    undefined,
    '',
    '00',
    `00-${IDS}`,
    `00-${IDS}-0`,
    `00-${IDS}-01-`,
    `00-${IDS}-01-more`,
    `00-${IDS}-011`,
    `cc-${IDS}-01.more`,
    `ff-${IDS}-01`,
    `0-${IDS}-01`,
    ` 00-${IDS}-01`,
    `00-${IDS}-01\n`,
    `00-${IDS}-01, 00-${IDS}-01`,
    `00-${IDS.toUpperCase()}-01`,
    `00-${zeros}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${zeros.slice(16)}-01`,
    `00-${IDS.replace('-', '')}0-01`,
  ])
    assert.equal(parseTraceparent(text), undefined, text)
})
