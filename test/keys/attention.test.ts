import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluateKey, urgencyOf } from '../../src/keys/evaluate.ts'
import type { KeyRecord } from '../../src/keys/records.ts'
import { replacementsAmong } from '../../src/keys/state.ts'
import { keyRecord } from '../support/keys.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const DAY_MS = 86_400_000
const days = (count: number, ms = 0) => new Date(NOW + count * DAY_MS + ms).toISOString()

/** In use, created ten days ago, with half a year to go: nothing needs to be done about it. */
const keyOf = (over: Partial<KeyRecord>) =>
  keyRecord({ createdAt: days(-10), expiresAt: days(180), lastUsedAt: days(0, -5000), ...over })

const needs = (over: Partial<KeyRecord>, others: KeyRecord[] = []) =>
  evaluateKey(keyOf(over), replacementsAmong(others), NOW).attention

const leak = { seen: 'url', at: days(-1) } as const

const next = (over: Partial<KeyRecord> = {}) =>
  keyOf({ id: 'key_2', replaces: 'key_1', createdAt: days(0, -4000), ...over })

test('a key needs attention only if something can be done about it', () => {
  assert.deepEqual(needs({}), [])
  assert.deepEqual(needs({ leak }), ['leaked'])
  assert.deepEqual(needs({ expiresAt: days(14, 1) }), [])
  assert.deepEqual(needs({ expiresAt: days(14) }), ['expiring'])
  assert.deepEqual(needs({ expiresAt: null }), [], 'worth knowing, but in order')
  assert.deepEqual(needs({ createdAt: days(-31), lastUsedAt: null }), ['unused'])
  assert.deepEqual(needs({ createdAt: days(-30), lastUsedAt: null }), [], 'not older than 30 days')
  assert.deepEqual(needs({ createdAt: days(-99), lastUsedAt: days(-30, -1) }), ['unused'])
  assert.deepEqual(needs({ createdAt: days(-99), lastUsedAt: days(-30) }), [])
  assert.deepEqual(needs({ createdAt: days(-99), lastUsedAt: null, leak }), ['leaked', 'unused'])
})

test('possible leaks are more urgent than failures, and failures more than upcoming ends', () =>
  assert.deepEqual(Object.entries(urgencyOf), [
    ['leaked', 0],
    ['rotation_unfinished', 1],
    ['expiring', 2],
    ['unused', 2],
  ]))

test('a rotation needs attention while the old key is used, and when there is no new one', () => {
  const rotating = { retiresAt: days(1) }
  assert.deepEqual(needs(rotating, [next()]), [])
  assert.deepEqual(needs({ ...rotating, expiresAt: null }, [next()]), [], 'it ends with its rotation')
  assert.deepEqual(needs({ ...rotating, lastUsedAt: days(0, -3000) }, [next()]), ['rotation_unfinished'])
  assert.deepEqual(needs(rotating, [next({ revokedAt: days(-1) })]), ['rotation_unfinished', 'expiring'])
  assert.deepEqual(needs(rotating, [next({ pausedAt: days(-1) })]), ['expiring'])
  assert.deepEqual(needs({ ...rotating, leak }, [next()]), ['leaked'])
})

test('an ended key needs no attention, and a paused one only if it has leaked', () => {
  for (const end of [{ revokedAt: days(-1) }, { expiresAt: days(0) }, { retiresAt: days(0) }])
    assert.deepEqual(needs({ ...end, createdAt: days(-99), lastUsedAt: null, leak }), [])
  const paused = { pausedAt: days(-1), expiresAt: null, createdAt: days(-99), lastUsedAt: null }
  assert.deepEqual(needs(paused), [])
  assert.deepEqual(needs({ ...paused, leak }), ['leaked'])
})
