import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCaller } from '../../src/database/caller.ts'
import type { LostRecords } from '../../src/database/store.ts'
import { type ReportedIncident, type Use, UseRecorder } from '../../src/database/use-recorder.ts'
import { waitUntil } from '../support/wait.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')
const caller = (agent: string) => ({ address: '203.0.113.7', agent })

type Outcome = 'busy' | 'fails' | 'works'

/** A recorder whose attempts to write have these outcomes, then all work; and what it has written. */
function start(outcomes: Outcome[] = []) {
  const failures: unknown[] = []
  const written = { uses: [] as Use[][], incidents: [] as ReportedIncident[][] }
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

test('a caller is told by product and address, and by no more of what it sent', () => {
  assert.equal(describeCaller(caller('claude-code/2.1 (cli)')), 'claude-code/2.1 at 203.0.113.7')
  assert.equal(describeCaller(caller('<script>')), '203.0.113.7')
  assert.equal(describeCaller(caller(`${'x'.repeat(300)}/1`)), `${'x'.repeat(40)} at 203.0.113.7`)
  assert.equal(describeCaller({ address: undefined, agent: 'curl/8' }), 'curl/8')
  assert.equal(describeCaller({ address: undefined, agent: undefined }), null)
  // Products are cached, and forgotten when there are many.
  for (let i = 0; i < 2500; i++)
    assert.equal(describeCaller(caller(`agent-${i % 1500}/1 (x)`)), `agent-${i % 1500}/1 at 203.0.113.7`)
})

test('uses that could not be written are added to what came since, and written once', async () => {
  const { recorder, written, failures, state, close } = start(['busy', 'fails'])
  recorder.recordUse('key_1', NOON, caller('first/1'), false)
  await waitUntil(() => state.attempts === 1)
  recorder.recordUse('key_1', NOON + 1000, caller('second/1'), true)
  await waitUntil(() => state.attempts === 2)
  recorder.recordUse('key_1', NOON + 2000, caller('third/1'), false)
  assert.equal(await close(0), undefined)
  assert.equal(failures.length, 1)
  const use = {
    ...{ keyId: 'key_1', count: 3, refused: 1 },
    ...{ firstAt: NOON, firstClient: 'first/1 at 203.0.113.7' },
    ...{ lastAt: NOON + 2000, lastClient: 'third/1 at 203.0.113.7' },
    callers: ['first/1', 'second/1', 'third/1'].map((agent, i) => {
      return { address: '203.0.113.7', agent, count: 1, firstAt: NOON + i * 1000, lastAt: NOON + i * 1000 }
    }),
  }
  assert.deepEqual(written.uses, [[use]])
})

test('callers are told apart by address and product, and each is counted', async () => {
  const { recorder, written, close } = start()
  // Two that differ in what is not recorded are one; the second line is of a request that was answered late.
  for (const [at, from] of [
    [5000, caller('curl/8')],
    [4000, { address: '198.51.100.1', agent: 'curl/8 (x)' }],
    [6000, caller('curl/8 (other)')],
    [7000, caller('curl/8 (other)')],
    [8000, { address: undefined, agent: undefined }],
  ] as const)
    recorder.recordUse('key_1', at, from, false)
  await close(0)
  const [use] = written.uses[0] ?? []
  assert.deepEqual(use?.callers.map(Object.values), [
    ['203.0.113.7', 'curl/8', 3, 5000, 7000],
    ['198.51.100.1', 'curl/8', 1, 4000, 4000],
    ['', '', 1, 8000, 8000],
  ])
  assert.deepEqual([use?.lastAt, use?.lastClient], [8000, null])
})

test('of many callers the last seen are kept, however they call themselves', async () => {
  const { recorder, written, close } = start()
  for (let i = 0; i < 5000; i++) recorder.recordUse('key_1', NOON + i, caller(`agent-${i}/1`), false)
  recorder.recordUse('key_1', NOON + 5000, caller('agent-4990/1'), false)
  await close(0)
  const [use] = written.uses[0] ?? []
  assert.equal(use?.count, 5001)
  assert.deepEqual(
    use?.callers.map(({ agent }) => agent),
    Array.from({ length: 20 }, (_, i) => `agent-${4980 + i}/1`),
  )
  assert.equal(use?.callers.find(({ agent }) => agent === 'agent-4990/1')?.count, 2)
})

test('however many keys that do not exist are sent, only so many are remembered', async () => {
  const { recorder, written, close } = start()
  const report = (i: number) =>
    recorder.recordIncident({ kind: 'unauthorized', prefix: `vtr_${i}` }, NOON, caller('x/1'))
  for (let i = 0; i < 5000; i++) report(i)
  for (let i = 0; i < 10; i++) report(0)
  await close(0)
  assert.equal(written.incidents.flat().length, 1000)
  assert.equal(written.incidents[0]?.[0]?.count, 11)
})

test('however many keys are in use, all of their uses are written, a bounded number at a time', async () => {
  const { recorder, written, close } = start()
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 7000; i++) recorder.recordUse(`key_${i}`, NOON + round, caller('x/1'), false)
  await close(0)
  assert.ok(written.uses.every((uses) => uses.flatMap(({ callers }) => [callers, ...callers]).length <= 4000))
  assert.equal(new Set(written.uses.flat().map(({ keyId }) => keyId)).size, 7000)
  assert.ok(written.uses.flat().every(({ count }) => count === 2))
})

test('what comes while a batch is written that then fails is added to it, as the later one', async () => {
  const { recorder, written, state, close } = start(['busy', 'fails'])
  state.onAttempt = (outcome) => {
    const at = NOON + 1000 * state.attempts
    if (outcome !== 'works') recorder.recordUse('key_1', at, caller(`${outcome}/1`), false)
  }
  recorder.recordUse('key_1', NOON, caller('first/1'), false)
  recorder.recordUse('key_2', NOON, caller('other/1'), false)
  assert.equal(await close(60_000), undefined)
  assert.equal(written.uses.length, 1)
  assert.deepEqual(
    written.uses[0]?.map((use) => [use.keyId, use.count, use.firstAt, use.firstClient, use.lastAt, use.lastClient]),
    [
      ['key_1', 3, NOON, 'first/1 at 203.0.113.7', NOON + 2000, 'fails/1 at 203.0.113.7'],
      ['key_2', 1, NOON, 'other/1 at 203.0.113.7', NOON, 'other/1 at 203.0.113.7'],
    ],
  )
})

test('refusals that could not be written are added to what came since, and written once', async () => {
  const { recorder, written, state, close } = start(['busy'])
  const refuse = (at: number, agent: string) =>
    recorder.recordIncident({ kind: 'over_quota', keyId: 'key_1' }, at, caller(agent))
  state.onAttempt = (outcome) => {
    if (outcome === 'busy') refuse(NOON + 1000, 'later/1')
  }
  refuse(NOON, 'first/1')
  await close(60_000)
  const incident = { count: 2, firstAt: NOON, lastAt: NOON + 1000, client: 'later/1 at 203.0.113.7' }
  assert.deepEqual(written.incidents, [[{ kind: 'over_quota', keyId: 'key_1', ...incident }]])
})

test('at the end a busy store is asked again until it has time', async () => {
  const { recorder, state, close } = start(['busy', 'busy', 'busy'])
  recorder.recordUse('key_1', NOON, caller('x/1'), false)
  assert.equal(await close(60_000), undefined)
  assert.equal(state.attempts, 4)
})

test('what is lost at the end is counted with its cause, and is not said to be tried again', async () => {
  const { recorder, failures, close } = start(['fails', 'fails'])
  for (const key of ['key_1', 'key_2', 'key_1']) recorder.recordUse(key, NOON, caller('x/1'), false)
  const { cause, ...lost } = (await close(0)) ?? { cause: undefined }
  assert.deepEqual(lost, { uses: 3, keys: 2, incidents: 0 })
  assert.match(String(cause), /down/)
  assert.deepEqual(failures, [])
})
