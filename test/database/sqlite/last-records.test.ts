import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { logLines, programWithFile } from '../../support/program.ts'

async function withKeys(t: TestContext) {
  const vitrine = programWithFile(t)
  const { file } = vitrine
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const keys: string[] = []
  for (const label of ['a', 'b']) keys.push(await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', label))
  const other = new DatabaseSync(file, { timeout: 60_000 })
  t.after(() => other.close())
  return { vitrine, file, keys, other }
}

/** Three uses by the first key and one by the second, and a refusal of the first. */
async function use(url: string, [first, second]: string[]) {
  for (const key of [first, second, first, first])
    assert.equal((await fetch(`${url}/workspace`, { headers: { authorization: `Bearer ${key}` } })).status, 200)
  await fetch(`${url}/workspace?key=${first}`)
}

const usesIn = (db: DatabaseSync) => Number(db.prepare('SELECT coalesce(sum(count), 0) AS n FROM key_use').get()?.n)

const logged = (output: string) => logLines(output).filter(({ msg }) => msg !== undefined)

test('a stop waits for the write lock, and then writes the last records', async (t) => {
  const { vitrine, keys, other } = await withKeys(t)
  const server = await vitrine.start('serve')
  other.exec('BEGIN IMMEDIATE')
  await use(server.url, keys)
  const stopped = server.stop()
  await server.printed('stopping')
  // Longer than a store waits by default, and far shorter than a stop may take.
  await delay(3500)
  other.exec('ROLLBACK')
  assert.equal(await stopped, 0)
  assert.equal(usesIn(other), 4)
  assert.deepEqual(
    logged(server.output()).map(({ msg }) => msg),
    ['stopping', 'stopped'],
  )
})

test('a stop that never gets the write lock still ends, and reports what is lost', async (t) => {
  const { vitrine, keys, other } = await withKeys(t)
  const server = await vitrine.start('serve')
  other.exec('BEGIN IMMEDIATE')
  await use(server.url, keys)
  assert.equal(await server.stop(), 0)
  assert.deepEqual(
    logged(server.output()).map(({ level, msg }) => [level, msg]),
    [
      [30, 'stopping'],
      [
        50,
        'records of 5 requests are lost: they could not be written before the stop, another process held the write lock',
      ],
      [30, 'stopped'],
    ],
  )
})
