// Run once: each test names its engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SqlitePublicStore } from '../../src/database/sqlite/public-store.ts'
import { exchange } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

test('only a body that arrives after its head costs a second key lookup', async (t) => {
  const look = t.mock.method(SqlitePublicStore.prototype, 'recheck')
  const { url, key } = await startService(t, { engine: 'sqlite' })
  const head =
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`
  const connection = await openRaw(url)
  for (let n = 0; n < 3; n++) {
    connection.write(`${head}\r\n${BODY}`)
    assert.equal((await connection.next()).status, 200)
  }
  await exchange(url, '/workspace', { headers: { authorization: `Bearer ${key}` } })
  assert.equal(look.mock.callCount(), 0)
  connection.write(`${head}Expect: 100-continue\r\n\r\n`)
  assert.equal((await connection.next()).status, 100)
  connection.write(BODY)
  assert.equal((await connection.next()).status, 200)
  assert.equal(look.mock.callCount(), 1)
})

test('so does one that arrives while the key is being looked up', async (t) => {
  const look = t.mock.method(SqlitePublicStore.prototype, 'recheck')
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { admit } = SqlitePublicStore.prototype
  // As on PostgreSQL, where it is asynchronous.
  const admitLater: unknown = async function (this: SqlitePublicStore, ...details: Parameters<typeof admit>) {
    const admission = admit.apply(this, details)
    asked.resolve()
    await answered.promise
    return admission
  }
  t.mock.method(SqlitePublicStore.prototype, 'admit', admitLater as typeof admit)
  const { url, key } = await startService(t, { engine: 'sqlite' })
  const connection = await openRaw(url)
  connection.write(
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`,
  )
  await asked.promise
  connection.write(BODY)
  // It got a response, so earlier input has been read, too.
  await exchange(url, '/healthz')
  answered.resolve()
  assert.equal((await connection.next()).status, 200)
  assert.equal(look.mock.callCount(), 1)
})
