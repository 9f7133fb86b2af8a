import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, describeCaller } from '../../src/database/usage/caller.ts'
import type { LostRecords, RequestFacts } from '../../src/database/usage/recorded.ts'
import { type RecordedIncident, type Use, UseRecorder } from '../../src/database/usage/use-recorder.ts'
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
  const written = { uses: [] as Use[][], incidents: [] as RecordedIncident[][] }
  const state = { attempts: 0, onAttempt: (_outcome: Outcome) => {} }
  const writeInto =
    <T>(batches: T[][]) =>
    async (batch: T[]) => {
      state.attempts++
      const outcome = outcomes.shift() ?? 'works'
      state.onAttempt(outcome)
      if (outcome === 'fails') throw new Error('down')
      if (outcome === 'works') batches.push(batch)
      return outcome === 'works'
    }
  const writers = { uses: writeInto(written.uses), incidents: writeInto(written.incidents) }
  const recorder = new UseRecorder(writers, (error) => failures.push(error))
  let lost: LostRecords | undefined
  const close = async (waitMs: number) => {
    await recorder.close(waitMs, (reported) => {
      lost = reported
    })
    return lost
  }
  return { recorder, written, failures, state, close }
}

test('a caller is identified by product and address, and by nothing else that it sent', () => {
  assert.equal(describeCaller(caller('claude-code/2.1 (cli)')), 'claude-code/2.1 at 203.0.113.7')
  assert.equal(describeCaller(caller('<script>')), '203.0.113.7')
  assert.equal(describeCaller(caller(`${'x'.repeat(300)}/1`)), `${'x'.repeat(40)} at 203.0.113.7`)
  assert.equal(describeCaller({ address: undefined, agent: 'curl/8' }), 'curl/8')
  assert.equal(describeCaller({ address: undefined, agent: undefined }), null)
  // Products are cached, and forgotten when there are many.
  for (let i = 0; i < 2500; i++)
    assert.equal(describeCaller(caller(`agent-${i % 1500}/1 (x)`)), `agent-${i % 1500}/1 at 203.0.113.7`)
})

test('uses that could not be written are written again, before newer ones, and once', async () => {
  const { recorder, written, failures, state, close } = start(['busy', 'fails'])
  recorder.recordUse('key_1', NOON, request(caller('first/1')))
  await waitUntil(() => state.attempts === 1)
  recorder.recordUse('key_1', NOON + 1000, request(caller('second/1'), 'over_quota'))
  await waitUntil(() => state.attempts === 2)
  recorder.recordUse('key_1', NOON + 2000, request(caller('third/1')))
  recorder.recordUse('key_2', NOON + 2000, request(caller('other/1')))
  assert.equal(await close(0), undefined)
  assert.equal(failures.length, 1)
  assert.deepEqual(
    written.uses.map((uses) =>
      uses.map(({ keyId, count, refused, firstAt, firstClient, lastAt, lastClient }) =>
        [keyId, count, refused, firstAt - NOON, firstClient, lastAt - NOON, lastClient].join(' '),
      ),
    ),
    [
      ['key_1 1 0 0 first/1 at 203.0.113.7 0 first/1 at 203.0.113.7'],
      [
        'key_1 2 1 1000 second/1 at 203.0.113.7 2000 third/1 at 203.0.113.7',
        'key_2 1 0 2000 other/1 at 203.0.113.7 2000 other/1 at 203.0.113.7',
      ],
    ],
  )
  const uses = written.uses.flat()
  assert.deepEqual(
    uses.flatMap(({ logged }) => logged.rows).map(({ at, agent, outcome }) => [at, agent, outcome]),
    [
      ['2026-11-15T12:00:00.000Z', 'first/1', 'ok'],
      ['2026-11-15T12:00:01.000Z', 'second/1', 'refused'],
      ['2026-11-15T12:00:02.000Z', 'third/1', 'ok'],
      ['2026-11-15T12:00:02.000Z', 'other/1', 'ok'],
    ],
  )
  assert.deepEqual(
    uses.flatMap(({ callers }) => callers.map(({ agent, count }) => `${agent} ${count}`)),
    ['first/1 1', 'second/1 1', 'third/1 1', 'other/1 1'],
  )
})

test('callers are distinguished by address and product, and each is counted', async () => {
  const { recorder, written, close } = start()
  // Requests that differ only in unrecorded parts are one caller; the second line is a slow request.
  for (const [at, from] of [
    [5000, caller('curl/8')],
    [4000, { address: '198.51.100.1', agent: 'curl/8 (x)' }],
    [6000, caller('curl/8 (other)')],
    [7000, caller('curl/8 (other)')],
    [8000, { address: undefined, agent: undefined }],
  ] as const)
    recorder.recordUse('key_1', at, request(from))
  await close(0)
  const [use] = written.uses[0] ?? []
  assert.deepEqual(use?.callers.map(Object.values), [
    ['203.0.113.7', 'curl/8', 3, 5000, 7000],
    ['198.51.100.1', 'curl/8', 1, 4000, 4000],
    ['', '', 1, 8000, 8000],
  ])
  assert.deepEqual([use?.lastAt, use?.lastClient], [8000, null])
})

test('only the most recent of many callers are logged, whatever their names', async () => {
  const { recorder, written, close } = start()
  for (let i = 0; i < 5000; i++) recorder.recordUse('key_1', NOON + i, request(caller(`agent-${i}/1`)))
  recorder.recordUse('key_1', NOON + 5000, request(caller('agent-4990/1')))
  await close(0)
  const [use] = written.uses[0] ?? []
  assert.equal(use?.count, 5001)
  assert.deepEqual(
    use?.callers.map(({ agent }) => agent),
    Array.from({ length: 20 }, (_, i) => `agent-${4980 + i}/1`),
  )
  assert.equal(use?.callers.find(({ agent }) => agent === 'agent-4990/1')?.count, 2)
})

test('however many unknown keys are sent, only a bounded number is remembered', async () => {
  const { recorder, written, close } = start()
  const record = (i: number) => recorder.recordIncident({ kind: 'unknown', prefix: `vtr_${i}` }, NOON, caller('x/1'))
  for (let i = 0; i < 5000; i++) record(i)
  for (let i = 0; i < 10; i++) record(0)
  await close(0)
  assert.equal(written.incidents.flat().length, 1000)
  assert.equal(written.incidents[0]?.[0]?.count, 11)
})

test('however many keys are in use, all of their uses are written, a bounded number at a time', async () => {
  const { recorder, written, close } = start()
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 7000; i++) recorder.recordUse(`key_${i}`, NOON + round, request(caller('x/1')))
  await close(0)
  assert.ok(written.uses.every((uses) => uses.flatMap(({ callers }) => [callers, ...callers]).length <= 4000))
  assert.equal(new Set(written.uses.flat().map(({ keyId }) => keyId)).size, 7000)
  assert.ok(written.uses.flat().every(({ count }) => count === 2))
})

test('a refusal during a failing attempt is written with the next batch', async () => {
  const { recorder, written, state, close } = start(['busy'])
  const refuse = (at: number, agent: string) =>
    recorder.recordIncident({ kind: 'over_quota', keyId: 'key_1' }, at, caller(agent))
  state.onAttempt = (outcome) => {
    if (outcome === 'busy') refuse(NOON + 1000, 'later/1')
  }
  refuse(NOON, 'first/1')
  await close(60_000)
  const logged = { rows: [], omitted: 0 }
  const incident = (at: number, client: string) => [
    { kind: 'over_quota', keyId: 'key_1', count: 1, firstAt: at, lastAt: at, client, logged },
  ]
  assert.deepEqual(written.incidents, [
    incident(NOON, 'first/1 at 203.0.113.7'),
    incident(NOON + 1000, 'later/1 at 203.0.113.7'),
  ])
})

test('at the end a busy store is retried until it has time', async () => {
  const { recorder, state, close } = start(['busy', 'busy', 'busy'])
  recorder.recordUse('key_1', NOON, request(caller('x/1')))
  assert.equal(await close(60_000), undefined)
  assert.equal(state.attempts, 4)
})

test('a write that fails while the recorder is closed is repeated, even after the deadline', async () => {
  const { recorder, state, close } = start(['fails'])
  recorder.recordUse('key_1', NOON, request(caller('x/1')))
  await waitUntil(() => state.attempts === 1)
  assert.equal(await close(0), undefined)
  assert.equal(state.attempts, 2)
})

test('records lost at the end are counted with their cause, and are not reported as retried', async () => {
  const { recorder, failures, close } = start(['fails', 'fails'])
  for (const key of ['key_1', 'key_2', 'key_1']) recorder.recordUse(key, NOON, request(caller('x/1')))
  const { cause, ...lost } = (await close(0)) ?? { cause: undefined }
  assert.deepEqual(lost, { uses: 3, keys: 2, incidents: 0 })
  assert.match(String(cause), /down/)
  assert.deepEqual(failures, [])
})

test('a busy key logs its first requests of a batch, preferring refused ones, and how many were left out', async () => {
  const { recorder, written, close } = start()
  const record = (key: string, id: string, refusalReason?: string) =>
    recorder.recordUse(key, NOON, request(caller('x/1'), refusalReason, id))
  for (let i = 0; i < 1000; i++) record('key_1', `ok ${i}`)
  for (let i = 0; i < 3; i++) record('key_1', `refused ${i}`, 'over_quota')
  for (let i = 0; i < 60; i++) record('key_2', `refused ${i}`, 'over_quota')
  await close(0)
  const [first, second] = written.uses[0] ?? []
  assert.deepEqual(
    first?.logged.rows.map(({ requestId }) => requestId),
    [...Array.from({ length: 27 }, (_, i) => `ok ${i}`), 'refused 0', 'refused 1', 'refused 2'],
  )
  assert.equal(first?.logged.omitted, 973)
  assert.deepEqual([second?.logged.rows.length, second?.logged.rows.at(-1)?.requestId], [30, 'refused 29'])
  assert.equal(second?.logged.omitted, 30)
})

test('however many keys are in use, a batch logs 500 requests and one per key, even after failures, and counts the others', async () => {
  const { recorder, written, state, close } = start(['busy', 'fails'])
  const recordAll = () => {
    for (let key = 0; key < 200; key++)
      for (let i = 0; i < 20; i++) recorder.recordUse(`key_${key}`, NOON, request(caller('x/1')))
  }
  recordAll()
  for (const attempts of [1, 2]) {
    await waitUntil(() => state.attempts === attempts)
    recordAll()
  }
  await waitUntil(() => written.uses.length > 0)
  recordAll()
  await close(0)
  const rowsIn = (uses: Use[] = []) => uses.reduce((sum, { logged }) => sum + logged.rows.length, 0)
  // 25 keys with 20 requests each, and the first of 175 others. Then the first of each, and more once there is room again.
  assert.deepEqual(written.uses.map(rowsIn), [500 + 175, 500])
  const uses = written.uses.flat()
  assert.ok(uses.every(({ logged }) => logged.rows.length > 0))
  assert.equal(rowsIn(uses) + uses.reduce((sum, { logged }) => sum + logged.omitted, 0), 4 * 200 * 20)
})

const madeUp = (recorder: UseRecorder, from: number, count: number) => {
  for (let i = from; i < from + count; i++)
    recorder.recordIncident(
      { kind: 'unknown', prefix: `vtr_${i}` },
      NOON,
      caller('x/1'),
      request(caller('x/1'), 'unknown'),
    )
}

test('requests with made-up keys do not displace refused requests of known keys', async () => {
  const { recorder, written, close } = start()
  madeUp(recorder, 0, 5000)
  for (let i = 0; i < 3; i++)
    recorder.recordIncident({ kind: 'paused', keyId: 'key_1' }, NOON, caller('x/1'), request(caller('x/1'), 'paused'))
  await close(0)
  const known = written.incidents.flat().filter(({ keyId }) => keyId === 'key_1')
  assert.deepEqual(
    known.map(({ count, logged }) => [count, logged.rows.length, logged.omitted]),
    [[3, 3, 0]],
  )
})
