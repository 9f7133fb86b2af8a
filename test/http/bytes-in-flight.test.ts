import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { BytesInFlight } from '../../src/http/bytes-in-flight.ts'

/** The largest `/tasks` there can be in a result of MCP 2026-07-28, as text and as structured content. */
const LARGEST_BYTES = [15_400_000, 13_200_000]
const largest = () => LARGEST_BYTES.map((bytes) => Buffer.alloc(bytes))

/** A socket on which a response is in progress until the test marks it as read. */
function answering() {
  const response = new EventEmitter()
  const socket: Socket & { _httpMessage?: unknown } = new Socket()
  socket._httpMessage = response
  const taken = () => {
    socket._httpMessage = null
    response.emit('close')
  }
  return { socket, taken }
}

test('a client with one unread response, however large, may request another; with two it may not', () => {
  const inFlight = new BytesInFlight()
  inFlight.add(answering().socket, 'a', largest())
  assert.ok(!inFlight.hasFullShare('a'))
  inFlight.add(answering().socket, 'a', largest())
  assert.ok(inFlight.hasFullShare('a'))
  assert.ok(!inFlight.isFull)
})

test('when the limit is reached, a client that holds nothing is admitted, and gets a small response but no large one', () => {
  const inFlight = new BytesInFlight()
  const large = largest()
  for (let i = 0; !inFlight.shouldShed('new', large); i++) {
    assert.ok(i < 100)
    inFlight.add(answering().socket, `greedy ${i}`, largest())
  }
  assert.ok(!inFlight.hasFullShare('new'))
  assert.ok(!inFlight.shouldShed('new', [Buffer.alloc(200)]))
  assert.ok(inFlight.hasFullShare('greedy 0'))
})

test('copied bytes count for each response, a shared Buffer counts once for all', () => {
  const inFlight = new BytesInFlight()
  const tasks = Buffer.alloc(1_000_000)
  // An id as long as a request may hold.
  const envelope = 'x'.repeat(900_000)
  const readers = Array.from({ length: 10 }, answering)
  for (const { socket } of readers) inFlight.add(socket, 'a', [envelope, tasks])
  assert.equal(inFlight.total, 10 * (4096 + envelope.length) + tasks.length)
  for (const { taken } of readers) taken()
  assert.equal(inFlight.total, 0)
})

test('every part that is sent without a copy counts', () => {
  const inFlight = new BytesInFlight()
  const [escaped, plain] = [Buffer.alloc(600_000), Buffer.alloc(500_000)]
  const [first, second] = [answering(), answering()]
  inFlight.add(first.socket, 'a', ['head', escaped, 'middle', plain])
  assert.equal(inFlight.total, 4096 + 10 + escaped.length + plain.length)
  inFlight.add(second.socket, 'b', ['head', escaped, 'middle', Buffer.alloc(100)])
  assert.equal(inFlight.total, 2 * (4096 + 10) + 100 + escaped.length + plain.length)
  first.taken()
  assert.equal(inFlight.total, 4096 + 10 + 100 + escaped.length)
  second.taken()
  assert.equal(inFlight.total, 0)
})

test('several responses on one connection all count until it is done, and none afterwards', () => {
  const inFlight = new BytesInFlight()
  const { socket, taken } = answering()
  for (let i = 1; i <= 3; i++) {
    inFlight.add(socket, 'a', [Buffer.alloc(100_000)])
    assert.equal(inFlight.total, i * (4096 + 100_000))
  }
  taken()
  assert.equal(inFlight.total, 0)
})
