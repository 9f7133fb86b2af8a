import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCaller } from '../../src/database/caller.ts'
import { IncidentRecorder, type ReportedIncident } from '../../src/database/key-recorders.ts'
import { type Use, UseRecorder } from '../../src/database/use-recorder.ts'
import { waitUntil } from '../support/wait.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')
const caller = (agent: string) => ({ address: '203.0.113.7', agent })

test('a caller is told by product and address, and by no more of what it sent', () => {
  assert.equal(describeCaller(caller('claude-code/2.1 (cli)')), 'claude-code/2.1 at 203.0.113.7')
  assert.equal(describeCaller(caller('<script>')), '203.0.113.7')
  assert.equal(describeCaller(caller(`${'x'.repeat(300)}/1`)), `${'x'.repeat(40)} at 203.0.113.7`)
  assert.equal(describeCaller({ address: undefined, agent: 'curl/8' }), 'curl/8')
  assert.equal(describeCaller({ address: undefined, agent: undefined }), null)
  // Products are remembered, and forgotten when there are many.
  for (let i = 0; i < 2500; i++)
    assert.equal(describeCaller(caller(`agent-${i % 1500}/1 (x)`)), `agent-${i % 1500}/1 at 203.0.113.7`)
})

test('uses that could not be written are added to what came since, and written once', async () => {
  const written: Use[][] = []
  let outcome: 'busy' | 'fails' | 'works' = 'busy'
  let attempts = 0
  const failures: unknown[] = []
  const recorder = new UseRecorder(
    async (uses) => {
      attempts++
      if (outcome === 'fails') throw new Error('down')
      if (outcome === 'works') written.push(uses)
      return outcome === 'works'
    },
    (error) => failures.push(error),
  )
  recorder.record('key_1', NOON, caller('first/1'), false)
  await waitUntil(() => attempts === 1)
  outcome = 'fails'
  recorder.record('key_1', NOON + 1000, caller('second/1'), true)
  await waitUntil(() => attempts === 2)
  outcome = 'works'
  recorder.record('key_1', NOON + 2000, caller('third/1'), false)
  await recorder.close(0)
  assert.equal(failures.length, 1)
  assert.deepEqual(written, [
    [
      {
        keyId: 'key_1',
        count: 3,
        refused: 1,
        firstAt: '2026-11-15T12:00:00.000Z',
        firstClient: 'first/1 at 203.0.113.7',
        lastAt: '2026-11-15T12:00:02.000Z',
        lastClient: 'third/1 at 203.0.113.7',
        callers: ['first/1', 'second/1', 'third/1'].map((agent, i) => ({
          address: '203.0.113.7',
          agent,
          count: 1,
          firstAt: `2026-11-15T12:00:0${i}.000Z`,
          lastAt: `2026-11-15T12:00:0${i}.000Z`,
        })),
      },
    ],
  ])
})

/** What one batch of uses is written as. */
async function writtenAfter(record: (recorder: UseRecorder) => void): Promise<Use | undefined> {
  let written: Use | undefined
  const recorder = new UseRecorder(
    async ([use]) => {
      written = use
      return true
    },
    () => {},
  )
  record(recorder)
  await recorder.close(0)
  return written
}

test('callers are told apart by address and product, and each is counted', async () => {
  const use = await writtenAfter((recorder) => {
    const other = { address: '198.51.100.1', agent: 'curl/8 (x)' }
    // Two that differ in what is not kept are one; the second line is of a request that was answered late.
    for (const [at, from] of [
      [5000, caller('curl/8')],
      [4000, other],
      [6000, caller('curl/8 (other)')],
      [7000, caller('curl/8 (other)')],
      [8000, { address: undefined, agent: undefined }],
    ] as const)
      recorder.record('key_1', NOON + at, from, false)
  })
  assert.deepEqual(
    use?.callers.map(({ address, agent, count, firstAt, lastAt }) => [
      ...[address, agent, count, firstAt.slice(18, 19), lastAt.slice(18, 19)],
    ]),
    [
      ['203.0.113.7', 'curl/8', 3, '5', '7'],
      ['198.51.100.1', 'curl/8', 1, '4', '4'],
      ['', '', 1, '8', '8'],
    ],
  )
  assert.deepEqual([use?.lastAt.slice(18, 19), use?.lastClient], ['8', null])
})

test('of many callers the last seen are kept, however they call themselves', async () => {
  const use = await writtenAfter((recorder) => {
    for (let i = 0; i < 5000; i++) recorder.record('key_1', NOON + i, caller(`agent-${i}/1`), false)
    recorder.record('key_1', NOON + 5000, caller('agent-4990/1'), false)
  })
  assert.equal(use?.count, 5001)
  assert.deepEqual(
    use?.callers.map(({ agent }) => agent),
    Array.from({ length: 20 }, (_, i) => `agent-${4980 + i}/1`),
  )
  assert.equal(use?.callers.find(({ agent }) => agent === 'agent-4990/1')?.count, 2)
})

test('however many keys that do not exist are sent, only so many are remembered', async () => {
  let written: ReportedIncident[] = []
  const recorder = new IncidentRecorder(
    async (incidents) => {
      written = incidents
      return true
    },
    () => {},
  )
  for (let i = 0; i < 5000; i++) recorder.record({ kind: 'unauthorized', prefix: `vtr_${i}` }, NOON, caller('x/1'))
  for (let i = 0; i < 10; i++) recorder.record({ kind: 'unauthorized', prefix: 'vtr_0' }, NOON, caller('x/1'))
  await recorder.close(0)
  assert.equal(written.length, 1000)
  assert.equal(written[0]?.count, 11)
})

test('however many keys are in use, all of their uses are written, a bounded number at a time', async () => {
  const written: Use[][] = []
  const recorder = new UseRecorder(
    async (uses) => {
      written.push(uses)
      return true
    },
    () => {},
  )
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 7000; i++) recorder.record(`key_${i}`, NOON + round, caller('x/1'), false)
  await recorder.close(0)
  assert.ok(written.every((uses) => uses.flatMap(({ callers }) => [callers, ...callers]).length <= 4000))
  assert.equal(new Set(written.flat().map(({ keyId }) => keyId)).size, 7000)
  assert.ok(written.flat().every(({ count }) => count === 2))
})

test('what comes while a batch is written that then fails is added to it, as the later one', async () => {
  const written: Use[][] = []
  const outcomes: ('busy' | 'fails' | 'works')[] = ['busy', 'fails', 'works']
  const recorder = new UseRecorder(
    async (uses) => {
      const outcome = outcomes.shift()
      if (outcome === 'works') written.push(uses)
      else recorder.record('key_1', NOON + 1000 * (3 - outcomes.length), caller(`${outcome}/1`), false)
      if (outcome === 'fails') throw new Error('down')
      return outcome === 'works'
    },
    () => {},
  )
  recorder.record('key_1', NOON, caller('first/1'), false)
  recorder.record('key_2', NOON, caller('other/1'), false)
  assert.deepEqual(await recorder.close(60_000), { uses: 0, keys: 0, cause: undefined })
  assert.equal(written.length, 1)
  assert.deepEqual(
    written[0]?.map(({ keyId, count, firstAt, firstClient, lastAt, lastClient }) => [
      keyId,
      count,
      firstAt.slice(17, 19),
      firstClient,
      lastAt.slice(17, 19),
      lastClient,
    ]),
    [
      ['key_1', 3, '00', 'first/1 at 203.0.113.7', '02', 'fails/1 at 203.0.113.7'],
      ['key_2', 1, '00', 'other/1 at 203.0.113.7', '00', 'other/1 at 203.0.113.7'],
    ],
  )
})

test('refusals that could not be written are added to what came since, and written once', async () => {
  const written: ReportedIncident[][] = []
  let isBusy = true
  const recorder = new IncidentRecorder(
    async (incidents) => {
      if (!isBusy) return written.push(incidents) > 0
      recorder.record({ kind: 'over_quota', keyId: 'key_1' }, NOON + 1000, caller('later/1'))
      isBusy = false
      return false
    },
    () => {},
  )
  recorder.record({ kind: 'over_quota', keyId: 'key_1' }, NOON, caller('first/1'))
  await recorder.close(60_000)
  assert.equal(written.length, 1)
  assert.deepEqual(
    written[0]?.map(({ count, firstAt, lastAt, client }) => [
      count,
      firstAt.slice(17, 19),
      lastAt.slice(17, 19),
      client,
    ]),
    [[2, '00', '01', 'later/1 at 203.0.113.7']],
  )
})

test('at the end a busy store is asked again until it has time', async () => {
  let attempts = 0
  const recorder = new UseRecorder(
    async () => ++attempts === 4,
    () => {},
  )
  recorder.record('key_1', NOON, caller('x/1'), false)
  assert.deepEqual(await recorder.close(60_000), { uses: 0, keys: 0, cause: undefined })
  assert.equal(attempts, 4)
})

test('what is lost at the end is counted with its cause, and is not said to be tried again', async () => {
  const failures: unknown[] = []
  const cause = new Error('disk full')
  const recorder = new UseRecorder(
    async () => {
      throw cause
    },
    (error) => failures.push(error),
  )
  for (const key of ['key_1', 'key_2', 'key_1']) recorder.record(key, NOON, caller('x/1'), false)
  assert.deepEqual(await recorder.close(0), { uses: 3, keys: 2, cause })
  assert.deepEqual(failures, [])
})
