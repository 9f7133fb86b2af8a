// On both engines: triggers keep entries as they are.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { appendAudit, newestEntries } from '../../src/audit/log.ts'
import { pruneAudit, retentionTime } from '../../src/audit/retention.ts'
import { verifyEveryChain } from '../../src/audit/verify.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import { engineUnderTest, freshDatabaseUrl, writeUnchecked } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/operator.ts'

const engine = engineUnderTest()
const DAY_MS = 86_400_000
const RETENTION_MS = 400 * DAY_MS
/** Entries before this time are removed. */
const start = () => Date.now() - RETENTION_MS

/** Chains of two workspaces, with the given numbers of entries past and within their retention. */
async function startChains(t: TestContext, { old, young }: { old: number; young: number }) {
  const url = await migratedDatabaseUrl(t)
  const store = await openStore(t, url)
  const append = (workspaceId: string, count: number, ageDays: number) =>
    store.transaction(async (tx) => {
      const at = new Date(Date.now() - ageDays * DAY_MS).toISOString()
      for (let i = 0; i < count; i++)
        await appendAudit(tx, { at, workspaceId, actor: 'x', action: 'y', subject: String(i), detail: {} })
    })
  for (const id of ['a', 'b']) {
    await append(id, old, 401)
    await append(id, young, 399)
  }
  return {
    url,
    store,
    append,
    reports: () => store.read((tx) => verifyEveryChain(tx, [])),
    newest: (id: string) => store.read((tx) => newestEntries(tx, id, 1)),
  }
}

const summary = (reports: Awaited<ReturnType<typeof verifyEveryChain>>) =>
  reports.map(({ workspaceId, entries, prune, fault }) => [workspaceId, entries, prune?.through, fault])

test(`${engine}: entries that only record a removal do not cause another one`, async (t) => {
  const { store, reports, append } = await startChains(t, { old: 1, young: 0 })
  await pruneAudit(store, start())
  assert.deepEqual(await pruneAudit(store, Date.now()), [])
  await append('a', 1, 1)
  assert.deepEqual(await pruneAudit(store, Date.now()), [{ workspaceId: 'a', removed: 2, through: 3, fault: null }])
  assert.deepEqual(summary(await reports())[0], ['a', 1, 3, null])
})

test(`${engine}: a run leaves one entry, which says what was removed, and the rest verifies`, async (t) => {
  const { store, reports, newest } = await startChains(t, { old: 600, young: 1 })
  let runs = 0
  const pruned = await pruneAudit(store, start(), () => runs++ === 1)
  assert.deepEqual(pruned, [{ workspaceId: 'a', removed: 600, through: 600, fault: null }], 'it was stopped in between')
  const [announced] = await newest('a')
  assert.deepEqual([announced?.number, announced?.detail.removed, announced?.detail.through], [602, 600, 600])
  assert.deepEqual(
    (await pruneAudit(store, start())).map((each) => [each.workspaceId, each.removed]),
    [['b', 600]],
  )
  assert.deepEqual(summary(await reports()), [
    ['a', 2, 600, null],
    ['b', 2, 600, null],
  ])
})

test(`${engine}: entries dated in the future do not stop the retention, and are removed with the old ones after them`, async (t) => {
  const { store, reports, append } = await startChains(t, { old: 2, young: 0 })
  // More than a batch, from a clock that was ten years ahead.
  await append('a', 300, -3650)
  await append('a', 2, 401)
  await append('a', 1, -3650)
  await append('a', 1, 399)
  const [pruned] = await pruneAudit(store, start())
  assert.deepEqual(pruned, { workspaceId: 'a', removed: 304, through: 304, fault: null })
  assert.deepEqual(summary(await reports())[0], ['a', 3, 304, null])
})

test(`${engine}: nothing is removed by a clock that is far ahead of what was recorded`, async (t) => {
  const { store, append } = await startChains(t, { old: 1, young: 1 })
  const refused = () => assert.rejects(store.read(retentionTime), /nothing was removed: the clock may be ahead/)
  // As if the clock was 399 days ahead: the last entry is from then.
  await refused()
  // Entries written by this clock change nothing for a week.
  await append('a', 1, 0)
  await append('a', 1, 6)
  await refused()
  const useKey = (id: string, ageDays: number) =>
    store.transaction((tx) => {
      const day = new Date(Date.now() - ageDays * DAY_MS).toISOString().slice(0, 10)
      return tx.run("INSERT INTO key_use (key_id, day, refused, count) VALUES (?, ?, '', 1)", id, day)
    })
  await useKey('x', 50)
  await refused()
  await useKey('y', 30)
  assert.ok(Math.abs((await store.read(retentionTime)) - Date.now()) < DAY_MS, 'a quiet service with a right clock')
})

test(`${engine}: two replicas that prune at once remove each entry once, while others are written`, async (t) => {
  const { url, reports } = await startChains(t, { old: 600, young: 2 })
  const write = (store: OperatorStore) =>
    store.transaction(async (tx) => {
      const at = new Date().toISOString()
      await appendAudit(tx, { at, workspaceId: 'a', actor: 'x', action: 'y', subject: 'z', detail: {} })
    })
  const [one, two, writer] = [await openStore(t, url), await openStore(t, url), await openStore(t, url)]
  const [first, second] = await Promise.all([
    pruneAudit(one, start()),
    pruneAudit(two, start()),
    write(writer),
    write(writer),
  ])
  const total = [...first, ...second].reduce((sum, { removed }) => sum + removed, 0)
  assert.equal(total, 1200)
  for (const { fault, prune } of await reports()) assert.deepEqual([fault, prune?.through], [null, 600])
})

test(`${engine}: an entry that does not match stays as evidence, with all later ones`, async (t) => {
  const { url, store, reports } = await startChains(t, { old: 7, young: 3 })
  await writeUnchecked(url, `UPDATE audit SET actor = 'z' WHERE number = 3 AND workspace_id = 'a'`)
  const [a, b] = await pruneAudit(store, start())
  assert.deepEqual([a?.removed, a?.fault?.kind, a?.fault?.number], [0, 'changed', 3])
  assert.deepEqual([b?.removed, b?.fault], [7, null])
  assert.equal((await reports())[0]?.fault?.number, 3)
})

test(`${engine}: the settings are read while entries are verified, up to the first young one`, async (t) => {
  const { url, store } = await startChains(t, { old: 1000, young: 1 })
  await writeUnchecked(url, `UPDATE audit SET actor = 'z' WHERE number = 1001 AND workspace_id = 'b'`)
  let isPruned = false
  const pruning = pruneAudit(store, start()).finally(() => {
    isPruned = true
  })
  let reads = 0
  for (; !isPruned; reads++) await store.read(() => setImmediate())
  assert.deepEqual(
    (await pruning).map(({ removed, fault }) => [removed, fault]),
    [
      [1000, null],
      [1000, null],
    ],
  )
  assert.ok(reads > 5, `${reads} reads`)
})

test(`${engine}: a copy keeps the beginning of the chain`, async (t) => {
  const { store } = await startChains(t, { old: 7, young: 3 })
  await pruneAudit(store, start())
  const copy = await openStore(t, await freshDatabaseUrl(t))
  await copy.load(store.dump())
  assert.deepEqual(summary(await copy.read((tx) => verifyEveryChain(tx, []))), [
    ['a', 4, 7, null],
    ['b', 4, 7, null],
  ])
})
