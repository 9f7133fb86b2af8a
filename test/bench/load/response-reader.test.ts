import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseReader } from '../../../bench/load/response-reader.ts'

const response = (body: string, head = 'Date: x') =>
  `HTTP/1.1 200 OK\r\n${head}\r\nContent-Length: ${body.length}\r\nX: y\r\n\r\n${body}`
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n'
const notModified = 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'

/** The responses read from pieces of that size, in a buffer that is reused for every piece. */
function read(text: string, size: number): { status: number; bodyLength: number }[] {
  const reader = new ResponseReader()
  const buffer = Buffer.alloc(size)
  const seen = []
  for (let at = 0; at < text.length; at += size)
    if (reader.feed(buffer, buffer.write(text.slice(at, at + size), 'latin1')))
      seen.push({ status: reader.status, bodyLength: reader.bodyLength })
  return seen
}

const exchanges = [
  ['a body', response('x'.repeat(50)), 200, 50],
  ['no body', response(''), 200, 0],
  ['chunks', chunked, 200, 31],
  ['a 304', notModified, 304, 0],
] as const

for (const [name, text, status, bodyLength] of exchanges)
  test(`a response with ${name} is read the same in pieces of any size`, () => {
    for (let size = 1; size <= text.length; size++)
      assert.deepEqual(read(text, size), [{ status, bodyLength }], `${size}`)
  })

test('every response on a connection is measured anew, however similar to the last', () => {
  const reader = new ResponseReader()
  const lengths = ['12345', '54321', '1234', '123456', ''].map((body) => {
    const bytes = Buffer.from(response(body))
    assert.ok(reader.feed(bytes, bytes.length))
    return reader.bodyLength
  })
  assert.deepEqual(lengths, [5, 5, 4, 6, 0])
})

test('bytes that an earlier read left in the buffer are not mistaken for a response', () => {
  const reader = new ResponseReader()
  const buffer = Buffer.from(response('12345'))
  assert.equal(reader.feed(buffer, 20), false)
  assert.equal(reader.feed(buffer.subarray(20), buffer.length - 20), true)
})

test('unrequested bytes, and responses without a length, are errors', () => {
  const feed = (text: string) => () => new ResponseReader().feed(Buffer.from(text), text.length)
  assert.throws(feed(`${response('1')}H`), /bytes follow/)
  assert.throws(feed(`${chunked}H`), /bytes follow/)
  assert.throws(feed('HTTP/1.1 200 OK\r\n\r\n'), /how long/)
  assert.throws(feed('SSH-2.0\r\n\r\n'), /not an HTTP/)
})
