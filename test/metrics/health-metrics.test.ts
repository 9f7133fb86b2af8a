import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Transaction } from '../../src/database/store.ts'
import { startHealthMetrics } from '../../src/metrics/health-metrics.ts'
import { resources } from '../../src/resources/index.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

test('a failed read is reported, retried within a minute, and keeps the last results', async (t) => {
  const { store, createKey } = await startOperator(t, await migratedDatabaseUrl(t, 'sqlite'))
  await createKey()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  syncBuiltinESMExports()
  let isFailing = false
  const failures: unknown[] = []
  const failing = async <T>(work: () => Promise<T>) => {
    if (isFailing) throw new Error('no disk')
    return work()
  }
  const unreliable = {
    read: <T>(work: (tx: Transaction) => Promise<T>) => failing(() => store.read(work)),
    space: () => failing(() => store.space()),
  }
  const health = startHealthMetrics(unreliable, { resources, differences: 0 }, (error) => failures.push(error))
  t.after(async () => {
    await health.stop()
    t.mock.timers.reset()
    syncBuiltinESMExports()
  })
  const after = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      t.mock.timers.tick(1000)
    }
    return health.samples()
  }
  const first = await after(30)
  assert.ok(first.length > 5)
  isFailing = true
  const stale = await after(3600)
  assert.deepEqual(stale, first)
  assert.ok(failures.length > 100)
  assert.ok(failures.every((error) => error instanceof Error && error.message === 'no disk'))
  isFailing = false
  await createKey()
  failures.length = 0
  assert.notDeepEqual(await after(90), first)
  assert.deepEqual(failures, [])
})
