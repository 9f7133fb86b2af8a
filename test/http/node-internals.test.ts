import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { receiveBody } from '../../src/http/body.ts'
import {
  currentResponse,
  hasPendingResponse,
  IncomingRequest,
  internalsOfRequests,
  internalsOfResponses,
  isReadingRequest,
  onResponsesSent,
  pauseReading,
  resumeReading,
  sentBytes,
  whenItsTurn,
} from '../../src/http/node-internals.ts'

/** Sends each piece after the previous one has arrived, and returns the server's request. */
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

const missing = (name: string) => `Node ${process.version} has no ${name}: adapt src/http/node-internals.ts`

test('this runtime has every internal that the service relies on', async (t) => {
  for (const name of ['_addHeaderLines', '_dumpAndCloseReadable'] as const)
    assert.equal(typeof internalsOfRequests[name], 'function', missing(`IncomingMessage.${name}`))
  assert.equal(typeof internalsOfResponses._storeHeader, 'function', missing('ServerResponse._storeHeader'))
  const { req, res } = await receive(t, HEAD)
  const { socket } = req
  const internals = socket as unknown as { _paused: unknown; _handle: Record<string, unknown> | null }
  assert.equal(currentResponse(socket), res, missing('socket._httpMessage'))
  assert.equal(typeof internals._paused, 'boolean', missing('socket._paused'))
  for (const name of ['bytesWritten', 'writeQueueSize'])
    assert.equal(typeof internals._handle?.[name], 'number', missing(`socket._handle.${name}`))
  assert.ok(isReadingRequest(socket), missing('socket.parser.incoming'))
  assert.ok(hasPendingResponse(socket))
})

test('responses take turns in order, and a socket is done after the last', async (t) => {
  const { req, res, server, socket: client } = await receive(t, 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n')
  const behind = once(server, 'request')
  client.write('GET /2 HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, second] = await behind
  const order: string[] = []
  whenItsTurn(second, () => order.push('its turn'))
  onResponsesSent(req.socket, () => order.push('answered'))
  res.end('first')
  await once(second, 'socket')
  assert.deepEqual(order, ['its turn'])
  second.end('second')
  await once(second, 'close')
  await setImmediate()
  assert.deepEqual(order, ['its turn', 'answered'])
  assert.ok(!hasPendingResponse(req.socket))
  assert.ok(sentBytes(req.socket) > 'firstsecond'.length)
})

test('a paused socket reads nothing, though Node resumes it after each request', async (t) => {
  const { req, res, server, socket: client } = await receive(t, 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n')
  pauseReading(req.socket)
  res.end()
  let requests = 0
  server.on('request', () => requests++)
  client.write('GET /2 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(client, 'data')
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.equal(requests, 0)
  resumeReading(req.socket)
  await once(server, 'request')
})

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n'

test('a body that arrives in one piece with its head is stored, and its stream closed', async (t) => {
  const { req, res, server, socket } = await receive(t, `${HEAD}body`)
  assert.equal(req.received?.bytes.toString(), 'body')
  assert.ok(req.complete)
  assert.ok(req.readableEnded)
  const again = once(server, 'request')
  res.end()
  socket.write(`${HEAD}more`)
  const [next] = await again
  await setImmediate()
  assert.equal(next.received.bytes.toString(), 'more')
})

const CHUNKED_HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

test('what arrives of any other body before it is read is joined, because each piece takes half a kilobyte', async (t) => {
  const chunked = `${CHUNKED_HEAD}2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n`
  for (const pieces of [[`${HEAD}bo`, 'dy'], [chunked]] as [string, ...string[]][]) {
    const { req } = await receive(t, ...pieces)
    while (!req.complete) await setImmediate()
    assert.equal(req.received?.bytes.toString(), 'body')
    assert.equal(req.readableLength, 0)
  }
})

test('the rest of a long body waits until it is read', async (t) => {
  const { req, res, server, socket } = await receive(t, CHUNKED_HEAD)
  const [chunk, chunks] = ['1\r\na\r\n', 90_000]
  socket.write(`${chunk.repeat(chunks)}0\r\n\r\n`)
  while ((req.received?.length ?? 0) < req.readableHighWaterMark) await setImmediate()
  assert.ok((req.received?.length ?? 0) < chunks)
  const read = await receiveBody(req, res, chunks, () => new Error('too large'))
  assert.ok(read.equals(Buffer.alloc(chunks, 'a')))
  const next = once(server, 'request')
  res.end()
  socket.write(HEAD)
  await next
})

test('a body that arrives while the stream is being read goes through it', async (t) => {
  const { req, socket } = await receive(t, HEAD)
  const read = req.toArray()
  await setImmediate()
  socket.write('body')
  assert.equal((await read).join(''), 'body')
})
