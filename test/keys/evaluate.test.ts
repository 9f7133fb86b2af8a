import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { everyKey } from '../../src/keys/evaluate.ts'
import { insertKey, type KeyRecord } from '../../src/keys/records.ts'
import { replacementsAmong, stateOf } from '../../src/keys/state.ts'
import { resources } from '../../src/resources/index.ts'
import { attentionOf } from '../support/attention.ts'
import { engineUnderTest } from '../support/database.ts'
import { listKeys } from '../support/listed-keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'

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
  seen: fc.constantFrom(null, null, null, 'url', 'browser', 'revoked'),
})

test(`${engineUnderTest()}: the database judges keys as the program does, whatever became of them`, async (t) => {
  const store = await openOperatorStore(parseDatabaseUrl(await migratedDatabaseUrl(t)), resources, { create: true })
  t.after(() => store.close())
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryKey, { minLength: 1, maxLength: 8 }), async (keys) => {
      const workspaceId = `w${run++}`
      const offset = run * 100
      const judged = await store.transaction(async (tx) => {
        for (const [index, { used, seen, replaces, ...times }] of keys.entries()) {
          const id = idOf(offset + index)
          const key: KeyRecord = {
            ...{ id, workspaceId, prefix: 'vtr_000000', label: `key ${index}`, permissions: ['tasks:read'] },
            ...{
              quota: null,
              createdBy: 'test',
              ...times,
              replaces: replaces === null ? null : idOf(offset + replaces),
              client: null,
              networks: null,
            },
          }
          await insertKey(tx, key, hash('sha256', id))
          for (const day of used)
            await tx.run(
              'INSERT INTO key_use (key_id, day, count, last_at) VALUES (?, ?, 1, ?)',
              ...[id, at(day).slice(0, 10), at(day)],
            )
          if (seen !== null)
            await tx.run(
              'INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) VALUES (?, ?, ?, 1, ?, ?)',
              ...[id, at(-1).slice(0, 10), seen, at(-1), at(-1)],
            )
        }
        return Array.fromAsync(everyKey(tx, workspaceId, NOW))
      })
      const all = await store.read((tx) => listKeys(tx, workspaceId))
      const replacements = replacementsAmong(all)
      const expected = all.map((key) => {
        const state = stateOf(key, replacements, NOW)
        const { seen = null } = keys[Number(key.id.slice(4)) - offset] ?? {}
        const wasSeen = seen === 'url' || seen === 'browser'
        return [key.id, state.kind, attentionOf({ key, state, replacements, wasSeen, nowMs: NOW })]
      })
      assert.deepEqual(
        judged.flat().map(({ id, state, attention }) => [id, state, attention]),
        expected,
      )
    }),
    { numRuns: 200 },
  )
})
