import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceStateOf } from '../../src/import/source-state.ts'
import type { Source } from '../../src/import/sources.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

const usual = {
  createdAt: ago(100_000),
  syncedAt: ago(90),
  attemptedAt: ago(90),
  failingSince: null,
  everySeconds: null,
}
const state = (source: Partial<Source>) => sourceStateOf({ ...usual, ...source }, NOW)

test('a source that is synced irregularly is never overdue', () => {
  assert.equal(state({ syncedAt: ago(90_000), attemptedAt: ago(90_000) }), 'synced')
})

test('a repeated one is overdue after three intervals and a minute without an attempt', () => {
  assert.equal(state({ everySeconds: 10, attemptedAt: ago(90) }), 'synced')
  assert.equal(state({ everySeconds: 10, attemptedAt: ago(91) }), 'overdue')
})

test('one that fails is failing, even if it is no longer attempted', () => {
  assert.equal(state({ everySeconds: 10, attemptedAt: ago(20), failingSince: ago(500) }), 'failing')
  assert.equal(state({ everySeconds: 10, attemptedAt: ago(200), failingSince: ago(500) }), 'failing')
})

test('one that never succeeded is failing while it is attempted, and then abandoned', () => {
  const never = { everySeconds: 10, syncedAt: null, failingSince: ago(500) }
  // After failures it waits up to ten minutes, however short its interval is.
  assert.equal(state({ ...never, attemptedAt: ago(660) }), 'failing')
  assert.equal(state({ ...never, attemptedAt: ago(661) }), 'abandoned')
  assert.equal(state({ ...never, everySeconds: 3600, attemptedAt: ago(10_860) }), 'failing')
  assert.equal(state({ ...never, everySeconds: 3600, attemptedAt: ago(10_861) }), 'abandoned')
})
