import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { IncomingRequest } from '../../src/http/incoming-request.ts'

/** Sends pieces, one after the other has arrived, and returns the request that the server got. */
async function receive(t: { after(done: () => void): void }, ...pieces: [string, ...string[]]) {
  const server = createServer({ IncomingMessage: IncomingRequest })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1')
  t.after(() => {
    socket.destroy()
    server.close()
  })
  const requested = once(server, 'request')
  socket.write(pieces[0])
  const [req, res] = await requested
  await setImmediate()
  for (const piece of pieces.slice(1)) socket.write(piece)
  return { req: req as IncomingRequest, res, server, socket }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n'

test('a body that arrives in one piece with its head is kept, and its stream closed', async (t) => {
  const { req, res, server, socket } = await receive(t, `${HEAD}body`)
  assert.equal(req.wholeBody?.toString(), 'body')
  assert.ok(req.complete)
  assert.ok(req.readableEnded)
  const again = once(server, 'request')
  res.end()
  socket.write(`${HEAD}more`)
  const [next] = await again
  await setImmediate()
  assert.equal(next.wholeBody?.toString(), 'more')
})

test('any other body is left to the stream', async (t) => {
  const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n'
  for (const pieces of [[`${HEAD}bo`, 'dy'], [chunked]] as [string, ...string[]][]) {
    const { req } = await receive(t, ...pieces)
    assert.equal((await req.toArray()).join(''), 'body')
    assert.equal(req.wholeBody, undefined)
  }
})

test('so is one that arrives when the stream is being read', async (t) => {
  const { req, socket } = await receive(t, HEAD)
  const read = req.toArray()
  await setImmediate()
  socket.write('body')
  assert.equal((await read).join(''), 'body')
})
