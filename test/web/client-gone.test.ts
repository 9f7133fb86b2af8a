// Run once: sockets decide this, before any database query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'

test('a client that disconnects while it sends a form is logged as gone, not as a failure', async (t) => {
  const { url, logLines } = await startService(t)
  const connection = await openRaw(url)
  connection.write(
    'POST /settings/sign-in/link HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nExpect: 100-continue\r\n' +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 40\r\n\r\n',
  )
  // The server waits for its body after 100 Continue.
  assert.equal((await connection.next()).status, 100)
  connection.socket.destroy()
  const parsed = () => logLines.map((line) => JSON.parse(line))
  const ofRequest = () => parsed().find(({ path }) => path === '/settings/sign-in/link')
  while (ofRequest() === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(ofRequest().status, 'gone')
  assert.deepEqual(
    parsed().filter(({ failure }) => failure !== undefined),
    [],
  )
})
