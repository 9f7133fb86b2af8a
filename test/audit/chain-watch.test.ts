import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ChainWatch } from '../../src/audit/chain-watch.ts'
import { appendAudit } from '../../src/audit/log.ts'
import type { Transaction } from '../../src/database/store.ts'
import { testOnce, writeUnchecked } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'

const HOUR_MS = 3_600_000
const NOON = Date.parse('2026-11-15T12:00:00.000Z')

async function startChain(t: TestContext) {
  const { url, store, workspace } = await startOperator(t)
  const watch = new ChainWatch()
  /** How many entries the last view read. */
  const work = { read: 0 }
  const counting = {
    read: <T>(inside: (tx: Transaction) => Promise<T>) =>
      store.read((tx) => {
        const all = async <Row>(sql: string, ...params: (string | number | null)[]) => {
          const rows = await tx.all<Row>(sql, ...params)
          if (sql.includes('FROM audit WHERE')) work.read += rows.length
          return rows
        }
        return inside(Object.assign(Object.create(tx), { all }))
      }),
  }
  return {
    work,
    append: (count: number) =>
      store.transaction(async (tx) => {
        const entry = { at: new Date(NOON).toISOString(), workspaceId: workspace.id, actor: 'x', action: 'y' }
        for (let i = 0; i < count; i++) await appendAudit(tx, { ...entry, subject: String(i), detail: {} })
      }),
    view(hours = 0) {
      work.read = 0
      return watch.advance(counting, workspace.id, NOON + hours * HOUR_MS)
    },
    tamper: (...statements: string[]) => writeUnchecked(url, ...statements),
  }
}

test('each entry is verified once, and after an hour all are verified again', async (t) => {
  const { append, view, work, tamper } = await startChain(t)
  await append(30)
  assert.deepEqual(await view(), {
    ...{ verifiedTo: 31, end: 31, since: NOON, prune: undefined, fault: null },
  })
  assert.equal(work.read, 31)
  await append(2)
  assert.equal((await view(0.5)).verifiedTo, 33)
  assert.equal(work.read, 2 + 1, 'and the last one again')
  const { since } = await view(1.5)
  assert.deepEqual([since, work.read], [NOON + 1.5 * HOUR_MS, 33 + 1])
  await view(1.6)
  assert.equal(work.read, 1)
  await tamper(`UPDATE audit SET actor = 'z' WHERE number = 7`)
  const before = await view(1.7)
  assert.deepEqual([before.fault, before.since], [null, NOON + 1.5 * HOUR_MS], 'it shows since when')
  assert.equal((await view(2.6)).fault?.number, 7)
  assert.equal((await view(2.6)).fault?.kind, 'changed', 'and it stays so')
})

test('a loss after verification is noticed at once: the end, the record of the end, the last entry', async (t) => {
  for (const [lost, kind] of [
    ['DELETE FROM audit WHERE number > 30', 'missing'],
    [`UPDATE audit SET actor = 'z' WHERE number > 30`, 'changed'],
    ['DELETE FROM audit_heads', 'no head'],
    [`UPDATE audit_heads SET hash = '${'1'.repeat(64)}'`, 'changed'],
    ['UPDATE audit_heads SET number = 30', 'cut off'],
    ['UPDATE audit_heads SET number = 32', 'cut off'],
    ['DELETE FROM audit; DELETE FROM audit_heads', 'no head'],
  ] as const) {
    const { append, view, tamper } = await startChain(t)
    await append(30)
    assert.equal((await view()).fault, null)
    await tamper(lost)
    assert.equal((await view()).fault?.kind, kind, lost)
    assert.equal((await view()).fault?.kind, kind, `${lost}, again`)
  }
})

testOnce('one view of a very long chain does a bounded amount of work', async (t) => {
  const { append, view, work } = await startChain(t)
  await append(11_999)
  const first = await view()
  assert.deepEqual([first.verifiedTo, first.end, first.fault, work.read], [10_000, 12_000, null, 10_000 + 9])
  const second = await view()
  assert.deepEqual([second.verifiedTo, second.end, work.read], [12_000, 12_000, 2000 + 3])
})
