import assert from 'node:assert/strict'
import test from 'node:test'
import { skipWithoutPostgres } from '../support/database.ts'
import { violationsIn } from './checker.ts'
import type { Event, Request } from './history.ts'
import { inWords } from './run.ts'
import { programUnderFaults, replicasUnderFaults } from './scenarios.ts'

test(
  'three replicas under faults: nothing stale, nothing after a revocation, no quota exceeded',
  skipWithoutPostgres(),
  async (t) => {
    const violations = await replicasUnderFaults(t, 1)
    assert.equal(violations.length, 0, inWords(violations))
  },
)

test('one program under faults: nothing stale, nothing after a revocation, no quota exceeded', async (t) => {
  const violations = await programUnderFaults(t, 1)
  assert.equal(violations.length, 0, inWords(violations))
})

/** A successful request in the millisecond after `begin`. */
const request = (begin: number, facts: Partial<Request> = {}): Request => ({
  ...{ kind: 'request', key: 'a', status: 200, begin, end: begin + 1 },
  ...facts,
})
const read = (begin: number, value: number) => request(begin, { register: 'tasks', value })
const written = (begin: number, value: number): Event => ({
  ...{ kind: 'write', register: 'tasks', value, begin, end: begin + 1 },
})
const counted = (begin: number, remaining: number) => request(begin, { remaining, resetSeconds: 3 })
const created: Event = { kind: 'creation', key: 'a', begin: 0, end: 1 }
const revoked: Event = { kind: 'revocation', key: 'a', begin: 10, end: 11 }

const histories: [rule: string | undefined, ...events: Event[]][] = [
  [undefined, created, written(2, 1), read(4, 1), counted(5, 1), counted(6, 0), revoked, request(12, { status: 401 })],
  ['a read older than an acknowledged change', written(0, 1), written(2, 2), read(4, 1)],
  ['a read older than one before it', written(0, 1), { ...written(2, 2), end: Infinity }, read(4, 2), read(6, 1)],
  ['a value before its write', read(0, 1), written(5, 1)],
  ['a success after an acknowledged revocation', revoked, request(12)],
  ['a revoked key that gets something other than 401', revoked, request(12, { status: 429 })],
  ['a live key that is refused', created, request(2, { status: 401 })],
  ['more successes than the quota in one window', counted(0, 1), counted(2, 0), counted(4, 2)],
  ['one place in a window for two requests', counted(0, 1), counted(2, 1)],
  ['more successes than two windows hold', ...[0, 2, 4, 6, 8].map((begin) => request(begin))],
  ['an unexpected response: 403', request(0, { status: 403 })],
]
test('each violation of a rule is found', () => {
  for (const [rule, ...events] of histories) {
    const found = violationsIn({ events, quotas: { a: { limit: 2, windowSeconds: 3 } } })
    assert.deepEqual(
      found.map((violation) => violation.rule),
      rule === undefined ? [] : [rule],
    )
  }
})
