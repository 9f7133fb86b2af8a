import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, describeCaller } from '../../src/database/usage/caller.ts'
import {
  type KeyRequests,
  type LostRecords,
  type RequestFacts,
  RequestRecorder,
} from '../../src/database/usage/request-recorder.ts'
import { waitUntil } from '../support/wait.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')
const caller = (agent: string) => ({ address: '203.0.113.7', agent })
const request = (from: Caller, refusalReason?: string, requestId = 'r'): RequestFacts => ({
  ...{ requestId, caller: from, operation: 'GET /tasks', tool: undefined, argumentNames: undefined },
  ...{ status: refusalReason === undefined ? 200 : 429, errorCode: undefined, refusalReason, ms: 1, bytes: 2 },
})

type Outcome = 'busy' | 'fails' | 'works'

/** A recorder whose attempts to write have these outcomes, then all work; and what it has written. */
function start(outcomes: Outcome[] = []) {
  const failures: unknown[] = []
  const written: KeyRequests[][] = []
  const state = { attempts: 0 }
  const write = async (batch: KeyRequests[]) => {
    state.attempts++
    const outcome = outcomes.shift() ?? 'works'
    if (outcome === 'fails') throw new Error('down')
    if (outcome === 'works') written.push(batch)
    return outcome === 'works'
  }
  const recorder = new RequestRecorder(write, (error) => failures.push(error))
  let lost: LostRecords | undefined
  const close = async (waitMs: number) => {
    await recorder.close(waitMs, (reported) => {
      lost = reported
    })
    return lost
  }
  const use = (keyId: string, at: number, from: Caller, reason?: string, requestId?: string) =>
    recorder.recordRequest({ keyId }, at, request(from, reason, requestId), reason)
  return { recorder, use, written, failures, state, close }
}

test('a caller is identified by product and address, and by nothing else that it sent', () => {
  assert.equal(describeCaller(caller('claude-code/2.1 (cli)')), 'claude-code/2.1 at 203.0.113.7')
  assert.equal(describeCaller(caller('<script>')), '203.0.113.7')
  assert.equal(describeCaller(caller(`${'x'.repeat(300)}/1`)), `${'x'.repeat(40)} at 203.0.113.7`)
  assert.equal(describeCaller({ address: undefined, agent: 'curl/8' }), 'curl/8')
  assert.equal(describeCaller({ address: undefined, agent: undefined }), null)
})

test('requests that could not be written are written again, before newer ones, and once', async () => {
  const { use, written, failures, state, close } = start(['busy', 'fails'])
  use('key_1', NOON, caller('first/1'))
  await waitUntil(() => state.attempts === 1)
  use('key_1', NOON + 1000, caller('second/1'), 'over_quota')
  await waitUntil(() => state.attempts === 2)
  use('key_1', NOON + 2000, caller('third/1'))
  use('key_2', NOON + 2000, caller('other/1'))
  assert.equal(await close(0), undefined)
  assert.equal(failures.length, 1)
  const since = (at: number | null) => at && at - NOON
  assert.deepEqual(
    written.map((batch) =>
      batch.map(({ key, counts, usedAt, refusedAt, refusal }) => [
        ...[Object.values(key), [...counts], since(usedAt), since(refusedAt), refusal],
      ]),
    ),
    [
      [[['key_1'], [['', 1]], 0, null, null]],
      [
        [
          ['key_1'],
          [
            ['over_quota', 1],
            ['', 1],
          ],
          2000,
          1000,
          'over_quota',
        ],
        [['key_2'], [['', 1]], 2000, null, null],
      ],
    ],
  )
  assert.deepEqual(
    written.flat().flatMap(({ logged }) => logged.rows.map(({ at, agent, outcome }) => [at, agent, outcome])),
    [
      ['2026-11-15T12:00:00.000Z', 'first/1', 'ok'],
      ['2026-11-15T12:00:01.000Z', 'second/1', 'refused'],
      ['2026-11-15T12:00:02.000Z', 'third/1', 'ok'],
      ['2026-11-15T12:00:02.000Z', 'other/1', 'ok'],
    ],
  )
})

test('a clock that is set back never moves the last use of a key back', async () => {
  const { use, written, close } = start()
  use('key_1', NOON, caller('x/1'))
  use('key_1', NOON - 1000, caller('x/1'))
  await close(0)
  assert.deepEqual(
    written.flat().map(({ lastAt, usedAt }) => [lastAt, usedAt]),
    [[NOON, NOON]],
  )
})

test('an expired token and a key in a URL are logged, but not counted as uses or refusals', async () => {
  const { use, recorder, written, close } = start()
  use('key_1', NOON, caller('x/1'), 'token_expired')
  use('key_1', NOON, caller('x/1'), 'url')
  recorder.recordLeak({ keyId: 'key_1' }, NOON, 'url')
  await close(0)
  assert.deepEqual(
    written
      .flat()
      .map(({ requests, counts, usedAt, refusedAt, leakedAt, leakedIn, logged }) => [
        ...[requests, counts.size, usedAt, refusedAt, leakedAt, leakedIn, logged.rows.length],
      ]),
    [[2, 0, null, null, NOON, 'url', 2]],
  )
})

test('however many unknown keys are sent, only a bounded number is remembered', async () => {
  const { recorder, written, close } = start()
  const record = (i: number) =>
    recorder.recordRequest({ prefix: `vtr_${i}` }, NOON, request(caller('x/1'), 'unknown'), 'unknown')
  for (let i = 0; i < 5000; i++) record(i)
  for (let i = 0; i < 10; i++) record(0)
  await close(0)
  assert.equal(written.flat().length, 1000)
  assert.equal(written[0]?.[0]?.requests, 11)
})

test('a busy key logs its first requests of a batch, preferring refused ones, and how many were left out', async () => {
  const { use, written, close } = start()
  const record = (key: string, id: string, reason?: string) => use(key, NOON, caller('x/1'), reason, id)
  for (let i = 0; i < 1000; i++) record('key_1', `ok ${i}`)
  for (let i = 0; i < 3; i++) record('key_1', `refused ${i}`, 'over_quota')
  for (let i = 0; i < 60; i++) record('key_2', `refused ${i}`, 'over_quota')
  await close(0)
  const [first, second] = written[0] ?? []
  assert.deepEqual(
    first?.logged.rows.map(({ requestId }) => requestId),
    [...Array.from({ length: 27 }, (_, i) => `ok ${i}`), 'refused 0', 'refused 1', 'refused 2'],
  )
  assert.equal(first?.logged.omitted, 973)
  assert.deepEqual([second?.logged.rows.length, second?.logged.rows.at(-1)?.requestId], [30, 'refused 29'])
  assert.equal(second?.logged.omitted, 30)
})
