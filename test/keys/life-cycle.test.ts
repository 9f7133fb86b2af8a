import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import type { KeyChangeReason, NewKey } from '../../src/keys/life-cycle.ts'
import { findKey, findKeyByToken } from '../../src/keys/records.ts'
import { replacementsAmong, stateOf } from '../../src/keys/state.ts'
import { createToken } from '../../src/lib/key-format.ts'
import { createWorkspace } from '../support/changes.ts'
import { connectElsewhere } from '../support/database.ts'
import { fillWithKeys } from '../support/key-record.ts'
import { keysIn, listKeys } from '../support/listed-keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()

async function start(t: TestContext) {
  const url = await migratedDatabaseUrl(t)
  const operator = await startOperator(t, url)
  const { store, keys, workspace } = operator
  let seen = 0
  return {
    ...operator,
    url,
    /** The entries about keys since the last call, oldest first. */
    async audited() {
      const all = (await store.read((tx) => newestEntries(tx, workspace.id, 100))).reverse()
      const entries = all.filter(({ action }) => action.startsWith('key.')).slice(seen)
      seen += entries.length
      return entries.map(({ action, subject, detail }) => ({ action, subject, detail }))
    },
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

test('an update writes only differences, and the audit log has the old and new values', async (t) => {
  const { keys, store, create, audited, refuses } = await start(t)
  const key = await create()
  const { id } = key
  await audited()
  assert.deepEqual(await keys.update(id, {}), { key, changed: [] })
  const same = { label: 'x', quota: { limit: 7, windowSeconds: 9 }, expiresAt: null }
  assert.deepEqual(await keys.update(id, same), { key, changed: [] })
  assert.deepEqual(await audited(), [], 'nothing was changed')

  const expiresAt = ahead(DAY_MS)
  const changed = await keys.update(id, { label: 'y', quota: null, expiresAt })
  assert.deepEqual(changed, {
    key: { ...key, label: 'y', quota: null, expiresAt },
    changed: ['label', 'quota', 'expiresAt'],
  })
  assert.deepEqual(await store.read((tx) => findKey(tx, id)), { ...changed.key, lastUsedAt: null })
  const before = { label: 'x', quota: '7;w=9', expiresAt: null }
  const after = { label: 'y', quota: null, expiresAt }
  assert.deepEqual(await audited(), [{ action: 'key.updated', subject: id, detail: { label: 'x', before, after } }])
  assert.deepEqual((await keys.update(id, { quota: { limit: 1, windowSeconds: 2 } })).changed, ['quota'])
  assert.deepEqual((await keys.update(id, { expiresAt: null })).key.expiresAt, null)

  const reach = { permissions: ['workspace:read', 'tasks:read'], networks: ['203.0.113.0/24', '2001:DB8::/32'] }
  const reached = await keys.update(id, reach)
  assert.deepEqual(reached.changed, ['permissions', 'networks'])
  assert.deepEqual(reached.key.networks, ['203.0.113.0/24', '2001:db8::/32'])
  assert.deepEqual(await store.read((tx) => findKey(tx, id)), { ...reached.key, lastUsedAt: null })
  assert.deepEqual((await audited()).at(-1)?.detail, {
    label: 'y',
    before: { permissions: 'tasks:read', networks: 'everywhere' },
    after: { permissions: 'workspace:read, tasks:read', networks: '203.0.113.0/24, 2001:db8::/32' },
  })
  assert.deepEqual((await keys.update(id, reach)).changed, [], 'the same networks in upper case')
  assert.equal((await keys.update(id, { networks: [] })).key.networks, null)
  await refuses(keys.update(id, { expiresAt: ahead(-1) }), 'invalid', /the expiry must be a time in the future/)
  const now = Date.now()
  const stopped = keysIn(store, 'test', () => now)
  await refuses(stopped.update(id, { expiresAt: new Date(now).toISOString() }), 'invalid', /a time in the future/)
  await refuses(keys.update(id, { expiresAt: 'soon' }), 'invalid', /the expiry must be/)
  await refuses(keys.update('key_none', {}), 'unknown', /no key has the id key_none/)
})

test('a key is created and updated with the same checks', async (t) => {
  const { keys, create, refuses } = await start(t)
  const { id, label, permissions, quota, expiresAt } = await create()
  const tooMuch = /the rate limit must be <limit>;w=<seconds>/
  const faults: [Partial<NewKey>, RegExp][] = [
    [{ permissions: [] }, /at least one permission/],
    [{ networks: ['10.0.0.0/33'] }, /the networks must be at most 50 addresses/],
    [{ label: '' }, /the label must be 1 to 100 characters/],
    [{ quota: { limit: 0, windowSeconds: 1 } }, tooMuch],
    [{ quota: { limit: 1, windowSeconds: 86_401 } }, tooMuch],
    [{ quota: { limit: 1.5, windowSeconds: 1 } }, tooMuch],
  ]
  for (const [fault, message] of faults) {
    await refuses(keys.update(id, fault), 'invalid', message)
    await refuses(keys.create('acme', { label, permissions, quota, expiresAt, ...fault }), 'invalid', message)
  }
})

test('a key is paused once and resumed once, and an ended one never', async (t) => {
  const { keys, create, audited, refuses, state } = await start(t)
  const { id } = await create()
  await audited()
  await refuses(keys.resume(id), 'not_paused', /is not paused$/)
  const { pausedAt } = await keys.pause(id)
  assert.deepEqual(await state(id), { kind: 'paused', at: pausedAt })
  await refuses(keys.pause(id), 'paused', /has been paused since 20/)
  // A paused key can still be changed.
  await keys.update(id, { label: 'y' })
  assert.equal((await keys.resume(id)).pausedAt, null)
  assert.deepEqual(await state(id), { kind: 'live' })
  assert.deepEqual(
    (await audited()).map(({ action, subject }) => [action, subject]),
    ['key.paused', 'key.updated', 'key.resumed'].map((action) => [action, id]),
  )
  await keys.pause(id)
  await keys.revoke(id)
  for (const work of [keys.pause(id), keys.resume(id), keys.update(id, {}), keys.rotate(id, 0), keys.revoke(id)])
    await refuses(work, 'ended', /was already revoked on 20/)
})

test('a rotation keeps the expiry, and can be cancelled', async (t) => {
  const { keys, store, create, audited, refuses, state } = await start(t)
  const expiresAt = ahead(90 * DAY_MS)
  const { id } = await create(expiresAt)
  await refuses(keys.cancelRotation(id), 'not_rotating', /is not being rotated$/)
  const { key: next, replaced } = await keys.rotate(id, HOUR_MS)
  assert.equal(replaced.expiresAt, expiresAt)
  const rotating = { kind: 'rotating', until: replaced.retiresAt, stillUsed: false } as const
  assert.deepEqual(await state(id), { ...rotating, successor: { id: next.id, label: 'x', works: true } })
  await refuses(
    keys.rotate(id, HOUR_MS),
    'rotated',
    new RegExp(`rotate its successor ${next.id}, or undo it with 'vitrine key cancel-rotation ${id}'`),
  )
  await audited()
  const { key, revoked } = await keys.cancelRotation(id)
  assert.deepEqual([key.retiresAt, key.expiresAt], [null, expiresAt])
  assert.deepEqual(
    revoked.map((each) => each.id),
    [next.id],
  )
  assert.deepEqual(await state(id), { kind: 'live' })
  assert.equal((await state(next.id)).kind, 'revoked')
  assert.deepEqual(await audited(), [
    { action: 'key.rotation_cancelled', subject: id, detail: { label: 'x', revoked: [next.id] } },
    { action: 'key.revoked', subject: next.id, detail: { label: 'x', replaces: id } },
  ])
  await refuses(keys.cancelRotation(id), 'not_rotating', /is not being rotated$/)
  assert.equal((await keys.rotate(id, HOUR_MS)).key.replaces, id)
  const rows = await store.read((tx) => findKey(tx, id))
  assert.equal(rows?.expiresAt, expiresAt)
})

test('cancelling a rotation revokes every key that it led to', async (t) => {
  const { keys, create, state } = await start(t)
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
})

test('a key is found by its token, only in its own workspace', async (t) => {
  const { store, workspace, createKey } = await start(t)
  const other = await createWorkspace(store, { name: 'B', slug: 'b' }, 'test', new Date().toISOString())
  const { token, id } = await createKey()
  const found = (workspaceId: string, text: string) =>
    store.read(async (tx) => (await findKeyByToken(tx, workspaceId, text))?.id)
  assert.equal(await found(workspace.id, token), id)
  assert.equal(await found(other.id, token), undefined)
  for (const text of [createToken(), token.slice(0, -1), '', `${token} `])
    assert.equal(await found(workspace.id, text), undefined)
})

test('a rotation keeps networks, and a connection has none', async (t) => {
  const { keys, create, refuses } = await start(t)
  const networks = ['203.0.113.0/24']
  const { id } = await create()
  await keys.update(id, { networks })
  const rotated = (await keys.rotate(id, HOUR_MS)).key
  assert.deepEqual(rotated.networks, networks)

  const newKey = { label: 'Claude', permissions: ['tasks:read'], quota: null, expiresAt: null }
  const { key } = await keys.create('acme', newKey, { id: 'c', host: 'claude.ai' })
  await refuses(
    keys.rotate(key.id, 0),
    'connected',
    /claude\.ai renews its tokens by itself; to end it, use 'vitrine key revoke key_/,
  )
})

test('if many pause, cancel, rotate or revoke a key at once, only one succeeds', async (t) => {
  const { keys, create, audited } = await start(t)
  const { id } = await create()
  const oneOf = async (work: () => Promise<unknown>) => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, work))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  }
  await oneOf(() => keys.pause(id))
  await oneOf(() => keys.resume(id))
  await oneOf(() => keys.rotate(id, HOUR_MS))
  await oneOf(() => keys.cancelRotation(id))
  await oneOf(() => keys.rotate(id, 0))
  const { id: other } = await create()
  await oneOf(() => keys.revoke(other))
  const actions = (await audited()).map(({ action }) => action.slice('key.'.length))
  assert.equal(
    actions.join(' '),
    'created paused resumed rotated created rotation_cancelled revoked rotated created created revoked',
  )
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
