import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import { forgetCallers } from '../../src/keys/forget-callers.ts'
import { UNPACED } from '../../src/lib/turns.ts'
import { engineUnderTest } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')
const at = (days: number) => new Date(NOON - days * 86_400_000).toISOString()

test(`${engineUnderTest()}: callers last seen long ago are forgotten in small steps; later ones and all counts stay`, async (t) => {
  const { store, createKey } = await startOperator(t, await migratedDatabaseUrl(t))
  const { id } = await createKey()
  await store.transaction(async (tx) => {
    // More days than one transaction reads.
    for (let day = 0; day < 1200; day++)
      await tx.run(
        `INSERT INTO key_use (key_id, day, count, first_at, first_client, last_at, last_client) VALUES (?, ?, 2, ?, 'x', ?, 'y')`,
        ...[id, at(day).slice(0, 10), at(day), at(day)],
      )
    for (const day of [1, 89, 91, 400]) {
      await tx.run(
        `INSERT INTO key_callers (key_id, address, agent, count, first_at, last_at) VALUES (?, ?, 'curl', 3, ?, ?)`,
        ...[id, `203.0.113.${day % 256}`, at(1000), at(day)],
      )
      await tx.run(
        `INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at, client) VALUES (?, ?, 'paused', 1, ?, ?, 'curl')`,
        ...[id, at(day).slice(0, 10), at(day), at(day)],
      )
    }
  })
  let steps = 0
  const pause = async () => {
    steps++
  }
  const { counting, locks } = countLocks(store)
  assert.equal(await forgetCallers(counting, NOON - 90 * 86_400_000, { ...UNPACED, pause }), 2 + 2 + (1200 - 91))
  assert.equal(steps, 1 + 3 + 1)
  assert.deepEqual(locks, Array(steps).fill('key retention'), 'replicas take turns, also with the removal of keys')
  const read = (sql: string) => store.read(async (tx) => (await tx.all<object>(sql)).map((row) => ({ ...row })))
  assert.deepEqual(await read('SELECT address, count FROM key_callers ORDER BY last_at'), [
    { address: '203.0.113.89', count: 3 },
    { address: '203.0.113.1', count: 3 },
  ])
  assert.deepEqual(
    await read(
      'SELECT count(*) AS days, CAST(sum(count) AS integer) AS uses, count(first_client) AS first, count(last_client) AS last FROM key_use',
    ),
    [{ days: 1200, uses: 2400, first: 91, last: 91 }],
  )
  assert.deepEqual(await read('SELECT count(*) AS days, count(client) AS clients FROM key_incidents'), [
    { days: 4, clients: 2 },
  ])
  locks.length = 0
  assert.equal(await forgetCallers(counting, NOON - 90 * 86_400_000), 0)
  assert.deepEqual(locks, [], 'nothing is due, so nothing is locked')
})

/** Records the first lock of each transaction, if any. */
function countLocks(store: OperatorStore) {
  const locks: string[] = []
  const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    store.transaction((tx) => {
      const at = locks.push('none') - 1
      const lock = tx.lock.bind(tx)
      const noted = (name: string) => {
        locks[at] = name
        return lock(name)
      }
      return work(Object.assign(tx, { lock: noted }))
    })
  return { locks, counting: { read: store.read.bind(store), transaction } }
}
