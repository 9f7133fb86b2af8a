import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HttpRequest } from '../../src/http/request.ts'
import { Logger } from '../../src/lib/logger.ts'
import { listenUntilEnd } from '../support/listen.ts'
import { waitUntil } from '../support/wait.ts'

/** Half a kilobyte for each of the chunks would be many times as much. */
const resourceLimits = { maxOldGenerationSizeMb: 48 }

test('a body takes no more memory for being sent byte by byte', async (t) => {
  const thread = new Worker(new URL('./tiny-chunks.ts', import.meta.url), { resourceLimits })
  t.after(() => thread.terminate())
  const ended = once(thread, 'exit').then(([code]) => assert.fail(`the thread ended with exit code ${code}`))
  const [isWhole] = await Promise.race([once(thread, 'message'), ended])
  assert.equal(isWhole, true)
})

/** Sends the bytes, and returns the server's request. */
async function receive(t: TestContext, bytes: string) {
  const server = createServer()
  const port = await listenUntilEnd(t, server)
  const requested = once(server, 'request')
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(bytes)
  const [req, res] = await requested
  return { socket, req, res, request: new HttpRequest(req, res, 0, new Logger({ write() {} }, 'silent')) }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n'
const tooLarge = () => new Error('too large')

test('little is read of a long body before it is asked for, and all of it afterwards', async (t) => {
  const BYTES = 1024 * 1024
  const { socket, req, request } = await receive(t, `${HEAD}Content-Length: ${BYTES}\r\n\r\n`)
  await request.hasArrived()
  socket.write(Buffer.alloc(BYTES, 'a'))
  await waitUntil(() => req.isPaused())
  for (let i = 0; i < 20; i++) await setImmediate()
  assert.ok(!req.complete)
  assert.ok((await request.body(BYTES, tooLarge)).equals(Buffer.alloc(BYTES, 'a')))
})

test('what arrives after the response is discarded, so that the connection can be used again', async (t) => {
  const BYTES = 1024 * 1024
  const { socket, req, res, request } = await receive(t, `${HEAD}Content-Length: ${BYTES}\r\n\r\n`)
  await request.hasArrived()
  res.end()
  socket.write(Buffer.alloc(BYTES))
  await waitUntil(() => req.complete)
})
