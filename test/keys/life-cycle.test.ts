// On both engines: triggers keep ended keys ended.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import type { Transaction } from '../../src/database/store.ts'
import { type KeyChangeReason, Keys } from '../../src/keys/life-cycle.ts'
import { endOf, replacementsAmong, stateOf } from '../../src/keys/state.ts'
import { connectElsewhere } from '../support/database.ts'
import { fillWithKeys, listKeys } from '../support/keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function start(t: TestContext) {
  const url = await migratedDatabaseUrl(t)
  const operator = await startOperator(t, url)
  const { store, keys, workspace } = operator
  return {
    ...operator,
    url,
    state: (id: string) =>
      store.read(async (tx) => {
        const all = await listKeys(tx, workspace.id)
        const key = all.find((each) => each.id === id)
        assert.ok(key)
        return stateOf(key, replacementsAmong(all), tx.nowMs)
      }),
    refuses: (work: Promise<unknown>, reason: KeyChangeReason, message: RegExp) =>
      assert.rejects(work, { name: 'KeyChangeError', reason, message }),
    async create(expiresAt: string | null = null) {
      const newKey = { label: 'x', permissions: ['tasks:read'], quota: { limit: 7, windowSeconds: 9 }, expiresAt }
      return (await keys.create('acme', newKey)).key
    },
  }
}

test('a successor lives as long as the key it replaces, counted from its own creation', async (t) => {
  const { store } = await start(t)
  const created = Date.parse('2026-01-01T00:00:00.000Z')
  const after = (days: number) => new Date(created + days * DAY_MS).toISOString()
  const at = (days: number) => (tx: Transaction) => new Keys(tx, 'test', created + days * DAY_MS)
  const newKey = { label: 'x', permissions: ['tasks:read'], quota: null, expiresAt: after(90) }
  const { key } = await store.transaction((tx) => at(0)(tx).create('acme', newKey))
  const rotated = await store.transaction((tx) => at(30)(tx).rotate(key.id, DAY_MS))
  assert.deepEqual([rotated.key.expiresAt, rotated.replaced.retiresAt], [after(120), after(31)])
  const hurried = await store.transaction((tx) => at(119)(tx).rotate(rotated.key.id, 7 * DAY_MS))
  assert.equal(endOf(hurried.replaced), after(120), 'an overlap never extends the life of the old key')
})

test('an entry names the reason of a revocation that no person decided, and else none', async (t) => {
  const { store, workspace, createKey } = await start(t)
  for (const [reason, expected] of [
    ['reused', { label: 'x', reason: 'reused' }],
    [undefined, { label: 'x' }],
  ] as const) {
    const { id } = await createKey()
    await store.transaction((tx) => new Keys(tx, 'test').revoke(id, reason))
    const [entry] = await store.read((tx) => newestEntries(tx, workspace.id, 1))
    assert.deepEqual(entry?.detail, expected)
  }
})

test('cancelling a rotation revokes every key that it led to', async (t) => {
  const { keys, create, state, store, workspace } = await start(t)
  const { id } = await create()
  const b = (await keys.rotate(id, HOUR_MS)).key.id
  const c = (await keys.rotate(b, HOUR_MS)).key.id
  assert.deepEqual(
    (await keys.cancelRotation(id)).revoked.map((each) => each.id),
    [b, c],
  )
  assert.deepEqual(
    [await state(id), (await state(b)).kind, (await state(c)).kind],
    [...[{ kind: 'live' }, 'revoked', 'revoked']],
  )
  const entries = await store.read((tx) => newestEntries(tx, workspace.id, 9))
  assert.ok(entries.some(({ action }) => action === 'key.rotation_cancelled'))
})

test('two keys that replace each other, after a direct write, can still be rotated', async (t) => {
  const { keys, create, url } = await start(t)
  const { id } = await create()
  const { key: successor } = await keys.rotate(id, DAY_MS)
  const elsewhere = await connectElsewhere(url, t)
  await elsewhere.run(`UPDATE api_keys SET replaces = '${successor.id}' WHERE id = '${id}'`)
  assert.deepEqual(
    (await keys.cancelRotation(id)).revoked.map((each) => each.id),
    [successor.id],
  )
  assert.equal((await keys.rotate(id, DAY_MS)).key.replaces, id)
})

test('a workspace has at most 1,000 keys that have not ended', async (t) => {
  const { keys, store, workspace, create, refuses } = await start(t)
  const { id } = await create()
  await fillWithKeys(store, workspace.id)
  const full = /^the workspace has 1,000 keys that have not ended, and cannot have more; revoke keys/
  await refuses(create(), 'full', full)
  await refuses(keys.rotate(id, HOUR_MS), 'full', full)
  const { key } = await keys.rotate(id, 0)
  await keys.revoke(key.id)
  await create()
  await refuses(create(), 'full', full)
})
