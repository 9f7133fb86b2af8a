import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { insertKey, type KeyRecord } from '../../src/keys/records.ts'
import { lifeOf, stateOf } from '../../src/keys/state.ts'
import { resources } from '../../src/resources/index.ts'
import { connectElsewhere, engines, freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const DAY_MS = 86_400_000
const at = (ms: number) => new Date(NOW + ms).toISOString()

const keyOf = (over: Partial<KeyRecord>): KeyRecord => ({
  id: 'key_1',
  workspaceId: 'w',
  prefix: 'vtr_000000',
  label: 'x',
  permissions: ['tasks:read'],
  quota: null,
  createdBy: 'test',
  createdAt: at(-30 * DAY_MS),
  expiresAt: null,
  revokedAt: null,
  replaces: null,
  ...over,
})

const hashOf = ({ id }: KeyRecord) => hash('sha256', id, 'hex')

/** Around every boundary that decides what a key is. */
const ends: (Pick<KeyRecord, 'expiresAt' | 'revokedAt'> & { life: ReturnType<typeof lifeOf> })[] = [
  { expiresAt: null, revokedAt: null, life: 'live' },
  { expiresAt: at(1), revokedAt: null, life: 'live' },
  { expiresAt: at(0), revokedAt: null, life: 'expired' },
  { expiresAt: at(-1), revokedAt: null, life: 'expired' },
  { expiresAt: null, revokedAt: at(-1), life: 'revoked' },
  { expiresAt: null, revokedAt: at(DAY_MS), life: 'revoked' },
  { expiresAt: at(-1), revokedAt: at(-2), life: 'revoked' },
  { expiresAt: at(DAY_MS), revokedAt: at(-1), life: 'revoked' },
]

for (const engine of engines) {
  const options = engine === 'postgres' ? skipWithoutPostgres() : {}

  test(`admission and incidents judge a key as its state says (${engine})`, options, async (t) => {
    const url = await freshDatabaseUrl(t, engine)
    const operator = await startOperator(t, url)
    const keys = ends.map((end, i) => keyOf({ ...end, id: `key_${i}`, workspaceId: operator.workspace.id }))
    await operator.store.transaction(async (tx) => {
      for (const key of keys) await insertKey(tx, key, hashOf(key))
    })
    const store = await openPublicStore(parseDatabaseUrl(url), resources, {
      clock: () => NOW,
      onUseFailure: (error) => t.diagnostic(String(error)),
    })
    for (const [tick, key] of keys.entries()) {
      const admission = await store.admit(hashOf(key), { limit: 10, windowSeconds: 60 }, tick)
      const rechecked = await store.recheck(hashOf(key))
      assert.equal(lifeOf(key, NOW), ends[tick]?.life)
      assert.equal(admission !== undefined, ends[tick]?.life === 'live', `admission of ${key.id}`)
      assert.equal(rechecked !== undefined, ends[tick]?.life === 'live', `recheck of ${key.id}`)
      store.recordIncident({ kind: 'unauthorized', hash: hashOf(key) }, { address: undefined, agent: undefined })
    }
    await store.close()

    const elsewhere = await connectElsewhere(url)
    t.after(() => elsewhere.close())
    const incidents = await elsewhere.all<{ id: string; kind: string }>('SELECT key_id AS id, kind FROM key_incidents')
    const kinds = new Map(incidents.map(({ id, kind }) => [id, kind]))
    assert.deepEqual(
      keys.map(({ id }) => kinds.get(id) ?? 'live'),
      ends.map(({ life }) => life),
    )
  })
}

test('a key expires in two weeks at most before people are told, and rotates once it has a successor', () => {
  const stateAt = (expiresAt: string | null, lastUsedAt: string | null = null, successor?: KeyRecord) =>
    stateOf({ ...keyOf({ expiresAt }), lastUsedAt, useCount: 0 }, successor, NOW)
  assert.deepEqual(stateAt(null), { kind: 'live' })
  assert.deepEqual(stateAt(at(14 * DAY_MS + 1)), { kind: 'live' })
  assert.deepEqual(stateAt(at(14 * DAY_MS)), { kind: 'expiring' })
  assert.deepEqual(stateAt(at(0)), { kind: 'expired' })
  const successor = keyOf({ id: 'key_2', replaces: 'key_1', createdAt: at(-1000) })
  const until = at(DAY_MS)
  assert.deepEqual(stateAt(until, at(-2000), successor), { kind: 'rotating', until, stillUsed: false })
  assert.deepEqual(stateAt(until, at(-500), successor), { kind: 'rotating', until, stillUsed: true })
  assert.deepEqual(stateAt(at(0), at(-500), successor), { kind: 'expired' })
})
