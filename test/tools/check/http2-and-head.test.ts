import assert from 'node:assert/strict'
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import { createServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import { ConnectionError } from '../../../src/lib/connection-failures.ts'
import { openHttp2, sendHead } from '../../../src/tools/check/http2-and-head.ts'
import { hasOpenssl, selfSigned } from '../../support/certificates.ts'
import { listen } from '../../support/listen.ts'
import { rawServer } from '../../support/source-server.ts'

const options = { skip: hasOpenssl ? false : 'openssl is not installed' }

async function connect(t: TestContext, onStream: (stream: ServerHttp2Stream) => void, timeoutMs?: number) {
  const { key, cert } = selfSigned(t)
  const server = createSecureServer({ key, cert })
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    onStream(stream)
  })
  server.on('session', (session) => t.after(() => session.destroy()))
  t.after(() => server.close())
  const url = new URL(`https://127.0.0.1:${await listen(server)}`)
  const session = await openHttp2({ url, ca: cert }, timeoutMs)
  assert.ok(session !== undefined)
  t.after(() => session[Symbol.dispose]())
  return (path = '/') => session.send({ method: 'GET', path }, {})
}

test('if a server offers only HTTP/1.1, there is no HTTP/2', options, async (t) => {
  const { key, cert } = selfSigned(t)
  const server = createServer({ key, cert })
  t.after(() => server.close())
  assert.equal(await openHttp2({ url: new URL(`https://127.0.0.1:${await listen(server)}`), ca: cert }), undefined)
})

test('an HTTP/2 response that a server cancels, or cuts off, is a connection failure', options, async (t) => {
  const cancel = await connect(t, (stream) => stream.close(8))
  await assert.rejects(cancel(), ConnectionError)
  const cutOff = await connect(t, (stream) => {
    stream.respond({ ':status': 200 })
    stream.write('{')
    setImmediate(() => stream.session?.destroy())
  })
  await assert.rejects(cutOff(), ConnectionError)
})

test('after a server has sent GOAWAY, an HTTP/2 request is a connection failure', options, async (t) => {
  const send = await connect(t, (stream) => {
    stream.respond({ ':status': 200 })
    stream.session?.goaway()
    stream.end('{}')
  })
  assert.equal((await send()).text, '{}')
  await assert.rejects(async () => send(), ConnectionError)
})

test('an HTTP/2 response that never ends is given up, however often a byte of it arrives', options, async (t) => {
  const send = await connect(
    t,
    (stream) => {
      stream.respond({ ':status': 200 })
      const drip = setInterval(() => stream.write(' '), 5)
      stream.once('close', () => clearInterval(drip))
    },
    // Of the handshake too, which takes longer on a busy machine.
    3000,
  )
  await assert.rejects(send(), /no complete response within 3 seconds/)
})

test('interim responses before the response to HEAD are skipped', async (t) => {
  const url = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 100\r\n\r\n')
    socket.end('HTTP/1.1 200 OK\r\nETag: "a"\r\n\r\nbody')
  })
  const { status, headers, text } = await sendHead({ url })({ method: 'HEAD', path: '/' }, {})
  assert.deepEqual([status, headers, text], [200, { etag: '"a"' }, 'body'])
})
