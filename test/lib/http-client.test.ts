import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createHttpClient } from '../../src/lib/http-client.ts'

async function connect(t: TestContext, listener: RequestListener, timeoutMs = 60_000) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { send, close } = createHttpClient(url, { maxConnections: 1, timeoutMs, maxBodyBytes: 10 })
  t.after(() => {
    close()
    server.closeAllConnections()
    server.close()
  })
  return async () => (await send({}, (sent) => sent.end())).body.toString()
}

test('a response is read up to a limit, and only if it is complete', async (t) => {
  const responses: RequestListener[] = [
    (_, res) => res.end('0123456789'),
    (_, res) => res.end('0123456789a'),
    (_, res) => {
      res.writeHead(200, { 'content-length': 5 })
      res.write('0', () => res.destroy())
    },
  ]
  const get = await connect(t, (req, res) => responses.shift()?.(req, res))
  assert.equal(await get(), '0123456789')
  await assert.rejects(get(), { name: 'ConnectionError', message: /^the response has more than 10 bytes/ })
  await assert.rejects(get(), { name: 'ConnectionError', message: /^the server closed the connection/ })
})

test('a request is sent again if an idle connection was closed', async (t) => {
  const listeners: RequestListener[] = [(_, res) => res.end('1'), (_, res) => res.destroy(), (_, res) => res.end('3')]
  const get = await connect(t, (req, res) => listeners.shift()?.(req, res))
  assert.deepEqual([await get(), await get()], ['1', '3'])
})

test('a request that takes too long is not sent again', async (t) => {
  let ignored: number | undefined
  const get = await connect(t, (_, res) => void (ignored === undefined ? res.end('1') : ignored++), 500)
  // On a busy machine the first may take too long as well.
  while ((await get().catch(() => undefined)) === undefined);
  ignored = 0
  await assert.rejects(get(), /^TimeoutError: there was no complete response within 0.5 seconds; check the server$/)
  // On a busy machine, it may not arrive at all before the time is over.
  assert.ok(ignored <= 1, `${ignored} requests`)
})
