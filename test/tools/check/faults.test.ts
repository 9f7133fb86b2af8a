import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Result } from '../../../src/tools/check/check.ts'
import { checkDeployment } from '../../../src/tools/check/run.ts'
import { type Service, startService } from '../../support/service.ts'
import { plantedFaults } from './faults.ts'
import { type Fault, startFaultyProxy } from './faulty-proxy.ts'

type Failure = Extract<Result, { status: 'failed' }>

async function failuresThrough(t: TestContext, service: Service, fault: Fault): Promise<Failure[]> {
  const url = new URL(await startFaultyProxy(t, service.url, fault))
  const { results } = await checkDeployment({ target: { url }, key: service.key, wait: async () => {} })
  return results.filter((result) => result.status === 'failed')
}

/** A response that is not Vitrine's lacks its headers too. */
const isConsequence = ({ id, cause }: Failure) =>
  id.startsWith('headers.') && /^something in front of Vitrine responded to this request itself/.test(cause)

// One server, and a proxy before it for each fault.
test('vitrine check', async (t) => {
  // So many checks come in one window that the quota must be large.
  const service = await startService(t, { env: { RATE_LIMIT: '100000;w=60' } })
  await service.addTasks([
    { id: 'a', title: 'First', dueAt: '2026-11-16T17:00:00.000Z' },
    { id: 'b', title: 'Second' },
  ])
  await t.test('finds nothing wrong through a proxy without a fault', async (t) => {
    assert.deepEqual(await failuresThrough(t, service, {}), [])
  })
  for (const [name, { id, cause, ...fault }] of Object.entries(plantedFaults))
    await t.test(`names the cause where a proxy ${name}`, async (t) => {
      const failures = await failuresThrough(t, service, fault)
      const failure = failures.find((each) => each.id === id)
      assert.ok(failure, `${id} did not fail, but ${failures.map((each) => each.id)}`)
      for (const each of failures)
        if (!isConsequence(each)) assert.match(each.cause, cause, `${each.id}: ${each.expected} / ${each.got}`)
      assert.match(failure.cause, cause)
    })
})
