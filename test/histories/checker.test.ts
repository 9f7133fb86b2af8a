import assert from 'node:assert/strict'
import test from 'node:test'
import { violationsIn } from './checker.ts'
import type { Event, Request, Write } from './history.ts'

const write = (value: number, begin: number, end: number): Write => ({
  kind: 'write',
  register: 'r',
  value,
  begin,
  end,
})
const read = (value: number, begin: number, end: number): Request => ({
  kind: 'request',
  key: 'k',
  status: 200,
  register: 'r',
  value,
  begin,
  end,
})
const revoke = (begin: number, end: number): Event => ({ kind: 'revocation', key: 'k', begin, end })
const create = (begin: number, end: number): Event => ({ kind: 'creation', key: 'k', begin, end })
const response = (status: number, begin: number, end: number): Request => ({
  kind: 'request',
  key: 'k',
  status,
  begin,
  end,
})
const counted = (begin: number, end: number, remaining: number, resetSeconds: number): Request => ({
  ...response(200, begin, end),
  remaining,
  resetSeconds,
})

const NEVER = Number.POSITIVE_INFINITY
const quotas = { k: { limit: 2, windowSeconds: 10 } }
const rulesBroken = (events: Event[]) => violationsIn({ events, quotas }).map(({ rule }) => rule)

const sound: [what: string, events: Event[]][] = [
  ['a read of what was acknowledged', [write(1, 0, 10), read(1, 11, 12)]],
  ['a read of the old value while it is changed', [write(1, 0, 10), read(0, 5, 20)]],
  ['a read of the new value while it is changed', [write(1, 0, 10), read(1, 5, 6)]],
  ['old and new in turn for reads that overlap', [write(1, 0, 10), read(1, 5, 20), read(0, 6, 7)]],
  ['a change of unknown outcome that is seen', [write(1, 0, NEVER), read(1, 5000, 5001)]],
  ['a change of unknown outcome that is not seen', [write(1, 0, NEVER), read(0, 5000, 5001)]],
  ['a success while the key is revoked', [revoke(0, 10), response(200, 9, 30)]],
  ['a success after a revocation of unknown outcome', [revoke(0, NEVER), response(200, 50, 51)]],
  ['401 after a revocation', [create(-5, -4), revoke(0, 10), response(401, 11, 12), response(500, 13, 14)]],
  [
    '401 while the key is created or revoked',
    [create(0, 10), response(401, 5, 6), revoke(20, 30), response(401, 15, 25)],
  ],
  ['a quota that is used up', [counted(0, 1, 1, 10), counted(2, 3, 0, 10), response(429, 4, 5)]],
  [
    'a quota in each of two windows',
    [counted(0, 1, 1, 10), counted(9000, 9001, 0, 1), counted(10_001, 10_002, 1, 10), counted(10_003, 10_004, 0, 10)],
  ],
  [
    'a quota that was forgotten in a crash',
    [
      counted(0, 1, 1, 10),
      counted(2, 3, 0, 10),
      { kind: 'forgetting', begin: 4, end: 5 },
      counted(6, 7, 1, 10),
      counted(8, 9, 0, 10),
    ],
  ],
]
for (const [what, events] of sound) test(`sound: ${what}`, () => assert.deepEqual(rulesBroken(events), []))

const violated: [rule: string, events: Event[]][] = [
  ['a read older than an acknowledged change', [write(1, 0, 10), read(0, 11, 12)]],
  ['a read older than an acknowledged change', [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)]],
  ['a read older than one before it', [write(1, 0, NEVER), read(1, 5, 6), read(0, 7, 8)]],
  ['a value before its write', [read(1, 0, 1), write(1, 2, 3)]],
  ['a value before its write', [read(7, 0, 1)]],
  ['a success after an acknowledged revocation', [revoke(0, 10), response(200, 11, 12)]],
  ['a success after an acknowledged revocation', [revoke(0, 10), response(304, 11, 12)]],
  ['a revoked key that gets something other than 401', [revoke(0, 10), response(429, 11, 12)]],
  ['a live key that is refused', [create(0, 1), response(401, 2, 3), revoke(4, 5)]],
  ['more successes than the quota in one window', [counted(0, 1, 1, 10), counted(2, 3, 0, 10), counted(4, 5, 0, 10)]],
  ['one place in a window for two requests', [counted(0, 1, 1, 10), counted(2, 3, 1, 10)]],
  ['more successes than two windows hold', [0, 1, 2, 3, 4].map((at) => response(200, at, at + 0.5))],
  ['an unexpected response: 418', [response(418, 0, 1)]],
  ['half a body', [{ ...response(200, 0, 1), wrongBody: 'half a body' }]],
]
for (const [rule, events] of violated)
  test(`found: ${rule}`, () => assert.ok(rulesBroken(events).includes(rule), `${rulesBroken(events)}`))
