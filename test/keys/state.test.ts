import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { KeyRecord } from '../../src/keys/records.ts'
import { lifeOf, replacementsAmong, stateOf, successorOf } from '../../src/keys/state.ts'
import { resources } from '../../src/resources/index.ts'
import { keyRecord, storeKey } from '../support/keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const DAY_MS = 86_400_000
const at = (ms: number) => new Date(NOW + ms).toISOString()

const without = ({ life: _, ...end }: (typeof ends)[number]) => end

const hashOf = ({ id }: KeyRecord) => hash('sha256', id, 'hex')

/** Around every boundary that decides what a key is. */
const ends: (Partial<KeyRecord> & { life: ReturnType<typeof lifeOf> })[] = [
  { expiresAt: null, revokedAt: null, life: 'live' },
  { expiresAt: at(1), revokedAt: null, life: 'live' },
  { expiresAt: at(0), revokedAt: null, life: 'expired' },
  { expiresAt: at(-1), revokedAt: null, life: 'expired' },
  { expiresAt: null, revokedAt: at(-1), life: 'revoked' },
  { expiresAt: null, revokedAt: at(DAY_MS), life: 'revoked' },
  { expiresAt: at(-1), revokedAt: at(-2), life: 'revoked' },
  { expiresAt: at(DAY_MS), revokedAt: at(-1), life: 'revoked' },
  { retiresAt: at(1), life: 'live' },
  { retiresAt: at(0), life: 'expired' },
  { retiresAt: at(0), expiresAt: at(DAY_MS), life: 'expired' },
  { retiresAt: at(DAY_MS), expiresAt: at(0), life: 'expired' },
  { retiresAt: at(DAY_MS), expiresAt: at(1), life: 'live' },
  { pausedAt: at(-1), life: 'paused' },
  { pausedAt: at(DAY_MS), life: 'paused' },
  { pausedAt: at(-1), retiresAt: at(1), expiresAt: at(1), life: 'paused' },
  { pausedAt: at(-1), retiresAt: at(0), life: 'expired' },
  { pausedAt: at(-1), expiresAt: at(0), life: 'expired' },
  { pausedAt: at(-1), revokedAt: at(-1), life: 'revoked' },
]

test("admission agrees with a key's state", async (t) => {
  const url = await migratedDatabaseUrl(t)
  const operator = await startOperator(t, url)
  const keys = ends.map((end, i) => keyRecord({ ...without(end), id: `key_${i}`, workspaceId: operator.workspace.id }))
  await operator.store.transaction(async (tx) => {
    for (const key of keys) await storeKey(tx, key)
  })
  const store = await openPublicStore(parseDatabaseUrl(url), resources, {
    defaultQuota: { limit: 10, windowSeconds: 60 },
    clock: () => NOW,
    onUseFailure: (error) => t.diagnostic(String(error)),
  })
  for (const [at, key] of keys.entries()) {
    const admission = await store.admit(hashOf(key))
    const rechecked = await store.recheck(hashOf(key))
    assert.equal(lifeOf(key, NOW), ends[at]?.life)
    const judged = (found: object = assert.fail()) => ('reason' in found ? found.reason : 'live')
    assert.equal(judged(admission), ends[at]?.life, `admission of ${key.id}`)
    assert.equal(judged(rechecked), ends[at]?.life, `recheck of ${key.id}`)
  }
  await store.close()
})

test('a key is expiring two weeks before its end, and rotating once it has a successor', () => {
  const stateAt = (over: Partial<KeyRecord>, lastUsedAt: string | null = null, ...others: KeyRecord[]) =>
    stateOf({ ...keyRecord(over), lastUsedAt }, replacementsAmong(others), NOW)
  assert.deepEqual(stateAt({}), { kind: 'live' })
  assert.deepEqual(stateAt({ expiresAt: at(14 * DAY_MS + 1) }), { kind: 'live' })
  assert.deepEqual(stateAt({ expiresAt: at(14 * DAY_MS) }), { kind: 'expiring' })
  assert.deepEqual(stateAt({ expiresAt: at(0) }), { kind: 'expired' })
  assert.deepEqual(stateAt({ pausedAt: at(-5) }), { kind: 'paused', at: at(-5) })
  const next = keyRecord({ id: 'key_2', label: 'next', replaces: 'key_1', createdAt: at(-1000) })
  const until = at(DAY_MS)
  const successor = { id: 'key_2', label: 'next', works: true }
  for (const end of [{ retiresAt: until }, { retiresAt: until, expiresAt: at(2 * DAY_MS) }]) {
    const rotating = { kind: 'rotating', until, successor } as const
    assert.deepEqual(stateAt(end, at(-2000), next), { ...rotating, stillUsed: false })
    assert.deepEqual(stateAt(end, at(-500), next), { ...rotating, stillUsed: true })
  }
  assert.deepEqual(stateAt({ retiresAt: at(0) }, at(-500), next), { kind: 'expired' })
  assert.deepEqual(stateAt({ retiresAt: until, pausedAt: at(-1) }, null, next), { kind: 'paused', at: at(-1) })
  const ended = keyRecord({ ...next, revokedAt: at(-1) })
  assert.deepEqual(stateAt({ retiresAt: until }, null, ended), {
    ...{ kind: 'rotating', until, stillUsed: false },
    successor: { ...successor, works: false },
  })
  // Its rotation was cancelled: it continues by itself.
  assert.deepEqual(stateAt({}, null, ended), { kind: 'live' })
  assert.deepEqual(stateAt({ expiresAt: until }, null, ended), { kind: 'expiring' })
})

test("a key's successor is the newest that works, even a successor's successor", () => {
  const key = (id: string, replaces: string | null, over: Partial<KeyRecord> = {}) =>
    keyRecord({ id, replaces, ...over })
  const ended = { revokedAt: at(-1) }
  const successor = (...keys: KeyRecord[]) => successorOf({ id: 'a' }, replacementsAmong(keys), NOW)?.id
  assert.equal(successor(key('a', null)), undefined)
  assert.equal(successor(key('b', 'a')), 'b')
  assert.equal(successor(key('b', 'a'), key('c', 'a')), 'c')
  assert.equal(successor(key('b', 'a'), key('c', 'a', ended)), 'b')
  assert.equal(successor(key('b', 'a', ended), key('c', 'b')), 'c')
  assert.equal(successor(key('b', 'a', { pausedAt: at(-1) }), key('c', 'b')), 'b')
  const later = { createdAt: at(DAY_MS) }
  assert.equal(successor(key('b', 'a'), key('c', 'b', later)), 'b', 'the nearest, not the newest of all')
  assert.equal(successor(key('b', 'a', later), key('c', 'a')), 'b')
  assert.equal(successor(key('b', 'a', ended), key('c', 'b', ended), key('d', 'c')), 'd')
  assert.equal(successor(key('b', 'a', ended), key('c', 'a', ended)), 'c')
  // Only a direct write to the table can create a cycle.
  assert.equal(successor(key('a', 'c'), key('b', 'a', ended), key('c', 'b', ended)), 'b')
})
