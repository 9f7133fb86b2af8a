import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SourceState, sourceStateOf } from '../../src/import/source-state.ts'
import type { Source } from '../../src/import/sources.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

const usual = { createdAt: ago(100_000), syncedAt: ago(90), failingSince: null, everySeconds: null }
const failing = { everySeconds: 10, failingSince: ago(500) }
const never = { ...failing, syncedAt: null }

/** By the seconds since the last attempt. */
const cases: [what: string, source: Partial<Source>, states: Record<number, SourceState>][] = [
  ['synced irregularly is never overdue', {}, { 90000: 'synced' }],
  ['repeated is overdue after three intervals and a minute', { everySeconds: 10 }, { 90: 'synced', 91: 'overdue' }],
  ['that fails is failing, even if it is no longer attempted', failing, { 20: 'failing', 200: 'failing' }],
  // After failures it waits up to ten minutes, however short its interval is.
  ['that never succeeded is abandoned once it is not attempted', never, { 660: 'failing', 661: 'abandoned' }],
  [
    'with a long interval is not abandoned sooner',
    { ...never, everySeconds: 3600 },
    { 10860: 'failing', 10861: 'abandoned' },
  ],
]

for (const [what, source, states] of cases)
  test(`a source ${what}`, () => {
    for (const [seconds, state] of Object.entries(states))
      assert.equal(sourceStateOf({ ...usual, ...source, attemptedAt: ago(Number(seconds)) }, NOW), state, seconds)
  })
