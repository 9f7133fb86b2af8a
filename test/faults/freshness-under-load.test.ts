// Run once: it depends on what SQLite waits for; histories/ looks for stale reads on both engines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { connectElsewhere } from '../support/database.ts'
import { program } from '../support/program.ts'
import { openRaw, type RawConnection } from '../support/raw.ts'

const CHANGES = 150
const CONNECTIONS = 32

/**
 * Requests of one tick of the server's event loop share one check for changes. With many of them under way all the time,
 * a change is committed in the middle of ticks; a request sent once it is acknowledged must see it all the same.
 */
test('the first request after a change sees it, however busy the server is', async (t) => {
  const vitrine = program(t, { RATE_LIMIT: '1000000000;w=60', LOG_LEVEL: 'error' })
  await vitrine.ok('workspace', 'create', '--name', 'Busy', '--slug', 'busy')
  const newKey = () => vitrine.ok('key', 'create', '--workspace', 'busy', '--label', 'load')
  const [busyKey, key] = [await newKey(), await newKey()]
  const { url, stop } = await vitrine.start('serve')
  const elsewhere = await connectElsewhere(vitrine.env.DATABASE_URL ?? '', t)

  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openRaw(url)))
  let isOver = false
  const load = Promise.all(
    connections.map(async (connection) => {
      let answered = 0
      for (; !isOver; answered++) assert.equal((await ask(connection, '/tasks', busyKey)).status, 200)
      connection.socket.destroy()
      return answered
    }),
  )

  const connection = await openRaw(url)
  // A revoked key cannot be revived, but its row can be recreated.
  await elsewhere.run(`CREATE TEMP TABLE kept AS SELECT * FROM api_keys WHERE prefix = '${key.slice(0, 10)}'`)
  for (let n = 1; n <= CHANGES; n++) {
    await elsewhere.run(
      `BEGIN; UPDATE workspaces SET name = 'Change ${n}'; UPDATE revisions SET number = number + 1; COMMIT`,
    )
    const { text } = await ask(connection, '/workspace', key)
    assert.equal((JSON.parse(text) as { workspace: { name: string } }).workspace.name, `Change ${n}`)
    await elsewhere.run(
      `UPDATE api_keys SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE prefix = '${key.slice(0, 10)}'`,
    )
    assert.equal((await ask(connection, '/workspace', key)).status, 401, 'a revoked key passed')
    await elsewhere.run(`BEGIN; DELETE FROM api_keys WHERE id = (SELECT id FROM kept);
                         INSERT INTO api_keys SELECT * FROM kept; COMMIT`)
  }
  isOver = true
  const answered = (await load).reduce((sum, n) => sum + n, 0)
  assert.ok(answered > CHANGES, `there was load: ${answered} responses`)
  connection.socket.destroy()
  await stop()
})

function ask(connection: RawConnection, path: string, key: string) {
  connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return connection.next()
}
