import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { BytesInFlight } from '../../src/http/bytes-in-flight.ts'
import { sentBody } from '../../src/http/responses.ts'

/** The largest `/tasks` there can be in a result of MCP 2026-07-28, as text and as structured content. */
const LARGEST_BYTES = [15_400_000, 13_200_000]
const largest = () => LARGEST_BYTES.map((bytes) => Buffer.alloc(bytes))

/** A response that is in progress until the test marks it as read. */
function answering() {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  return { res, taken: () => res.emit('close') }
}

test('a client with one unread response, however large, may request another; with two it may not', () => {
  const inFlight = new BytesInFlight()
  inFlight.add(answering().res, 'a', largest())
  assert.ok(!inFlight.hasFullShare('a'))
  inFlight.add(answering().res, 'a', largest())
  assert.ok(inFlight.hasFullShare('a'))
  assert.ok(!inFlight.isFull)
})

test('when the limit is reached, a client that holds nothing is admitted, and gets a small response or the head of a large one', () => {
  const inFlight = new BytesInFlight()
  const large = largest()
  for (let i = 0; !inFlight.shouldShed('new', large); i++) {
    assert.ok(i < 100)
    inFlight.add(answering().res, `greedy ${i}`, largest())
  }
  assert.ok(!inFlight.hasFullShare('new'))
  assert.ok(!inFlight.shouldShed('new', [Buffer.alloc(200)]))
  assert.ok(!inFlight.shouldShed('new', sentBody({ method: 'HEAD' }, { status: 200, headers: [], body: large })))
  assert.ok(inFlight.hasFullShare('greedy 0'))
})

test('copied bytes count for each response, a shared Buffer counts once for all', () => {
  const inFlight = new BytesInFlight()
  const tasks = Buffer.alloc(1_000_000)
  // An id as long as a request may hold.
  const ENVELOPE_BYTES = 900_000
  const readers = Array.from({ length: 10 }, answering)
  for (const { res } of readers) inFlight.add(res, 'a', [Buffer.alloc(ENVELOPE_BYTES), tasks])
  assert.equal(inFlight.total, 10 * (4096 + ENVELOPE_BYTES) + tasks.length)
  for (const { taken } of readers) taken()
  assert.equal(inFlight.total, 0)
})

test('every part that is sent without a copy counts', () => {
  const inFlight = new BytesInFlight()
  const [head, middle] = [Buffer.from('head'), Buffer.from('middle')]
  const [escaped, plain] = [Buffer.alloc(600_000), Buffer.alloc(500_000)]
  const [first, second] = [answering(), answering()]
  inFlight.add(first.res, 'a', [head, escaped, middle, plain])
  assert.equal(inFlight.total, 4096 + 10 + escaped.length + plain.length)
  inFlight.add(second.res, 'b', [head, escaped, middle, Buffer.alloc(100)])
  assert.equal(inFlight.total, 2 * (4096 + 10) + 100 + escaped.length + plain.length)
  first.taken()
  assert.equal(inFlight.total, 4096 + 10 + 100 + escaped.length)
  second.taken()
  assert.equal(inFlight.total, 0)
})
