// On both engines: one statement over many keys, of other types.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { attentionKinds, countKeys, evaluateKey, listedKeys, urgentKeys } from '../../src/keys/evaluate.ts'
import { lifeOf, replacementsAmong } from '../../src/keys/state.ts'
import { atTime } from '../support/at-time.ts'
import { createWorkspace } from '../support/changes.ts'
import { engineUnderTest, runs } from '../support/database.ts'
import { listKeys, storeKey } from '../support/keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/operator.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const DAY_MS = 86_400_000
const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString()
const idOf = (index: number) => `key_${String(index).padStart(18, '0')}`

/** Few values, so that ends, uses and successors meet: before, at and after each limit. */
const oneOf = (...days: (number | null)[]) => fc.constantFrom(...days.map((each) => (each === null ? null : at(each))))
const arbitraryKey = fc.record({
  createdAt: fc.constantFrom(-50, -31, -30, -3, -2, -1).map(at),
  expiresAt: oneOf(null, null, -1, 0, 1, 14, 15),
  retiresAt: oneOf(null, null, null, 0, 2, 14),
  pausedAt: oneOf(null, null, null, -1),
  revokedAt: oneOf(null, null, null, -1),
  /** The key before it in the list, or another: also itself, one after it, and a circle. */
  replaces: fc.option(fc.nat({ max: 7 }), { freq: 3 }),
  used: fc.subarray([-40, -30, -2.5, -1.5, -0.5]),
  seen: fc.constantFrom(null, null, null, 'url' as const, 'browser' as const),
})

const storeAtNow = async (t: TestContext) => atTime(await openStore(t, await migratedDatabaseUrl(t)), () => NOW)

test(`${engineUnderTest()}: keys are evaluated alike, alone and together, whatever their state`, async (t) => {
  const store = await storeAtNow(t)
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryKey, { minLength: 1, maxLength: 8 }), async (keys) => {
      const workspaceId = `w${run++}`
      const offset = run * 100
      const evaluated = await store.transaction(async (tx) => {
        for (const [index, { used, seen, replaces, ...times }] of keys.entries()) {
          const id = idOf(offset + index)
          const lastUsedAt = used.length === 0 ? null : at(Math.max(...used))
          const leak = seen && { seen, at: at(-1) }
          const key = { id, workspaceId, ...times, replaces: replaces === null ? null : idOf(offset + replaces) }
          await storeKey(tx, { ...key, lastUsedAt, leak })
        }
        return listedKeys(tx, workspaceId)
      })
      const all = await store.read((tx) => listKeys(tx, workspaceId))
      const replacements = replacementsAmong(all)
      const expected = all.map((key) => {
        const { state, ...others } = evaluateKey(key, replacements, NOW)
        return { id: key.id, state: state.kind, ...others }
      })
      assert.deepEqual(
        evaluated.map(({ id, state, attention, neverExpires }) => ({ id, state, attention, neverExpires })),
        expected,
      )
      const urgent = all.filter((key) => {
        const life = lifeOf(key, NOW)
        const isEnding = (key.expiresAt ?? at(15)) <= at(14) || key.retiresAt !== null
        return (life === 'live' && isEnding) || (key.leak !== null && (life === 'live' || life === 'paused'))
      })
      assert.deepEqual(
        (await store.read((tx) => urgentKeys(tx, workspaceId, NOW))).sort(),
        urgent.map(({ id }) => id).sort(),
      )
    }),
    { numRuns: runs(400) },
  )
})

test(`${engineUnderTest()}: keys of all workspaces are counted, in more than one read, except those of deleted ones`, async (t) => {
  const store = await storeAtNow(t)
  const ids: string[] = ['deleted']
  for (const slug of ['one', 'two', 'three'])
    ids.push((await createWorkspace(store, { name: slug, slug }, 'test', at(-60))).id)
  await store.transaction(async (tx) => {
    for (let index = 0; index < 400; index++)
      await storeKey(tx, {
        ...{ id: idOf(index), workspaceId: ids[index % 4] ?? '', createdAt: at(-index / 1000) },
        ...{ expiresAt: index % 10 === 1 ? at(3) : null, pausedAt: index % 10 === 2 ? at(-1) : null },
        revokedAt: index % 10 === 3 ? at(-1) : null,
      })
    for (const index of [1, 4, 13, 22])
      await tx.run("UPDATE api_keys SET leaked_at = ?, leaked_in = 'url' WHERE id = ?", ...[at(-1), idOf(index)])
  })
  const { states, attention } = await countKeys(store)
  assert.deepEqual(states, { live: 200, expiring: 40, rotating: 0, paused: 20, expired: 0, revoked: 40 })
  assert.deepEqual(
    attentionKinds.map((kind) => [kind, attention[kind].count]),
    [
      ['leaked', 2],
      ['rotation_unfinished', 0],
      ['expiring', 40],
      ['unused', 0],
    ],
  )
  // The fourth is of a deleted workspace, the thirteenth is revoked.
  assert.deepEqual(attention.leaked.ids.sort(), [idOf(1), idOf(22)])
  assert.equal(attention.expiring.ids.length, 20)
})
