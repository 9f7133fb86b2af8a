import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createSender } from '../../../src/tools/check/http.ts'

test('the largest response of a declared resource is read whole', async (t) => {
  const body = Buffer.alloc(32_000_000, ' ')
  const server = createServer((_, res) => res.end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { send, close } = createSender({ url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
  t.after(() => {
    close()
    server.close()
  })
  const response = await send({ method: 'GET', path: '/orders' }, {})
  assert.deepEqual([response.bodyError, response.body.length], [undefined, body.length])
})
