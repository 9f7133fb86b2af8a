/** A change of very many rows: visible completely or not at all, and never blocking other writers for long. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { LARGE_ROWS } from '../../../src/database/sqlite/frozen.ts'
import { deleteWorkspace } from '../../../src/provisioning/delete-workspace.ts'
import { tasks } from '../../../src/resources/tasks/contract.ts'
import { table } from '../../../src/resources/tasks/current-tasks.ts'
import { connectElsewhere } from '../../support/database.ts'
import { keysIn } from '../../support/listed-keys.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { listOf } from '../../support/pages.ts'
import { acmeProgram, program } from '../../support/program.ts'
import { openStore, servedStore } from '../../support/stores.ts'
import { NOW, startSyncing } from '../../support/syncing.ts'

const MANY = LARGE_ROWS + 1000
const KEPT = 10

/** Ten tasks that no snapshot changes, then many that each one does; all due at the same time, so that only `seq` orders them. */
const snapshot = (title: string, count = MANY) =>
  Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    title: i < KEPT ? 'kept' : title,
    dueAt: '2026-12-01T00:00:00Z',
  }))

const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function start(t: TestContext, count = MANY) {
  const syncing = await startSyncing(t, await migratedDatabaseUrl(t, 'sqlite'))
  const records = lines(snapshot('old', count))
  assert.deepEqual(await syncing.sync(records), { created: count, changed: 0, gone: 0, unchanged: 0 })
  const other = await openStore(t, syncing.url)
  const served = await servedStore(t, syncing.url)
  return { ...syncing, other, served }
}

/** Repeats an action until the work is over; returns each result. */
async function meanwhile<T>(work: Promise<unknown>, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) {
    results.push(await act())
    await delay(1)
  }
  await work
  return results
}

test('while a large sync is stored, keys are created and revoked', async (t) => {
  const { sync, other } = await start(t)
  const keys = keysIn(other)
  const newKey = { label: 'short', permissions: ['tasks:read'], quota: null, expiresAt: null }
  const isFrozen = () => other.read(async (tx) => (await tx.all('SELECT 1 FROM frozen')).length > 0)
  const storing = sync(lines(snapshot('new')))
  const within = await meanwhile(storing, async () => {
    const before = await isFrozen()
    const { key } = await keys.create('acme', newKey)
    await keys.revoke(key.id)
    return before && (await isFrozen())
  })
  assert.deepEqual(await storing, { created: 0, changed: MANY - KEPT, gone: 0, unchanged: KEPT })
  // Both changes of a key began and ended between two steps of the same sync.
  assert.ok(within.filter(Boolean).length > 0, `${within.length} keys, none of them within the sync`)
})

test('readers see a large sync completely or not at all, and paging through a list shows each task once', async (t) => {
  const { sync, served, workspace, other } = await start(t)
  const list = served.reader(listOf(tasks))
  const readPage = async (after?: readonly (string | number | null)[]) => {
    const page = { filters: {}, limit: 100, fields: ['id', 'title'], ...(after && { after }) }
    const reading = await list.page({ workspaceId: workspace.id, now: Date.parse(NOW) }, page)
    const rows = JSON.parse(`[${reading.rows}]`) as { id: string; title: string }[]
    return { rows, next: reading.next }
  }
  const storing = sync(lines(snapshot('new')))
  let [ids, after]: [string[], readonly (string | number | null)[] | undefined] = [[], undefined]
  const complete: string[][] = []
  const states = await meanwhile(storing, async () => {
    const { rows, next } = await readPage(after)
    ids.push(...rows.map(({ id }) => id))
    after = next
    if (next === undefined) {
      complete.push(ids)
      ids = []
    }
    const first = (await readPage()).rows
    const listed = await other.read(async (tx) => {
      const id = await tx.readableWorkspaceId('tasks', workspace.id)
      return tx.all<{ title: string }>('SELECT DISTINCT title FROM tasks WHERE workspace_id = ?', id)
    })
    assert.equal(first.length, 100)
    const dumped: string[] = []
    for await (const { table: name, rows: some } of other.dump())
      if (name === 'tasks')
        dumped.push(...some.map(({ seq, workspace_id, title }) => `${seq} ${workspace_id} ${title}`))
    const titles = new Set(dumped.slice(KEPT).map((row) => row.split(' ')[2]))
    assert.deepEqual([dumped.length, dumped[0], titles.size], [MANY, `1 ${workspace.id} kept`, 1])
    return [...new Set([...first, ...listed].map(({ title }) => title))].toSorted().join(' ')
  })
  // The state changed at most once, and within one round at most between its two reads.
  assert.ok(states.length > 2)
  assert.deepEqual(
    states.filter((state, i) => state !== states[i - 1]).filter((state) => state !== 'kept new old'),
    states.at(-1) === 'kept new' ? ['kept old', 'kept new'] : ['kept old'],
  )
  assert.equal(new Set((await readPage()).rows.map(({ title }) => title)).has('old'), false)
  while (after !== undefined) {
    const { rows, next } = await readPage(after)
    ids.push(...rows.map(({ id }) => id))
    after = next
    if (next === undefined) complete.push(ids)
  }
  const all = snapshot('').map(({ id }) => id)
  for (const list of complete) assert.deepEqual(list, all)
  assert.ok(complete.length > 0)
})

test('a large sync leaves the same rows, seqs, revision and audit log as a small one', async (t) => {
  const { sync, ask, workspace } = await start(t)
  const before = Number((await ask('SELECT number FROM revisions'))[0])
  const next = [...snapshot('new').slice(1000), { id: 'added', title: 'added', createdAt: '2020-01-01T00:00:00Z' }]
  assert.deepEqual(await sync(lines(next)), { created: 1, changed: MANY - 1000, gone: 1000, unchanged: 0 })
  const rows = await ask('SELECT seq, id, title, workspace_id, source FROM tasks ORDER BY seq')
  assert.deepEqual(rows, [
    ...next.slice(0, -1).map(({ id }) => `${Number(id.slice(1)) + 1} ${id} new ${workspace.id} tracker`),
    `${MANY + 1} added added ${workspace.id} tracker`,
  ])
  assert.deepEqual(await ask('SELECT * FROM frozen'), [])
  assert.equal(Number((await ask('SELECT number FROM revisions'))[0]), before + 1)
  assert.equal((await ask(`SELECT 1 FROM audit WHERE action = 'tasks.synced'`)).length, 2)
})

test('while a large change is in progress, or was interrupted, no one else changes those rows', async (t) => {
  const { sync, elsewhere, ask, workspace } = await start(t, KEPT)
  await elsewhere.run(`INSERT INTO frozen VALUES ('${workspace.id}', 'tasks', 0)`)
  for (const change of [
    `INSERT INTO tasks (workspace_id, id, title) VALUES ('${workspace.id}', 'x', 'x')`,
    `UPDATE tasks SET title = 'x' WHERE id = 't1'`,
    `DELETE FROM tasks WHERE id = 't1'`,
  ])
    await assert.rejects(elsewhere.run(change), /tasks_frozen: a large import or sync .* vitrine migrate/)
  // There is no copy here: the rows are deleted, and then synced again.
  assert.deepEqual(await sync(lines(snapshot('new', 3))), { created: 3, changed: 0, gone: 0, unchanged: 0 })
  assert.deepEqual(await ask('SELECT * FROM frozen'), [])
})

test('others can write while a large workspace is deleted, and nothing of it is shown if the deletion is killed half-way', async (t) => {
  const { store, other, ask, workspace } = await start(t)
  const deleting = deleteWorkspace(store, [table], 'acme', 'test')
  const left = await meanwhile(deleting, () =>
    other.transaction(async (tx) => (await tx.all('SELECT 1 FROM tasks')).length),
  )
  assert.ok(
    left.some((rows) => rows > 0 && rows < MANY),
    `no one wrote between its steps: ${left}`,
  )
  assert.deepEqual(await ask('SELECT * FROM tasks'), [])
  assert.equal((await deleting).deleted.tasks, MANY)
  assert.equal((await deleting).workspace.id, workspace.id)
})

/**
 * The program is killed right after the first commit that makes this query return a row; then the file is checked as a reader
 * sees it.
 */
const moments: Record<string, (title: string) => string> = {
  'while the rows are copied': () => 'SELECT 1 FROM tasks WHERE seq < 0 AND NOT EXISTS (SELECT 1 FROM frozen)',
  'once they are frozen': () => 'SELECT 1 FROM frozen',
  'while they are changed': (title) => `SELECT 1 FROM frozen JOIN tasks USING (workspace_id) WHERE title = '${title}'`,
  'once the change is visible': (title) =>
    `SELECT 1 FROM tasks WHERE title = '${title}' AND seq > 0 AND NOT EXISTS (SELECT 1 FROM frozen)`,
}

test('a killed large sync leaves the old state or the new one', async (t) => {
  const vitrine = await acmeProgram(t, { DATABASE_URL: await migratedDatabaseUrl(t, 'sqlite') })
  const { ok, run } = vitrine
  for (const name of ['A', 'B']) writeFileSync(join(vitrine.folder, name), lines(snapshot(name)))
  await ok(...SYNC, 'A')
  const { token: key } = await vitrine.createKey()
  const { url } = await vitrine.start('serve')
  const elsewhere = await connectElsewhere(vitrine.env.DATABASE_URL ?? '', t)
  const ask = async (query: string) =>
    (await elsewhere.all<Record<string, unknown>>(query)).map((row) => Object.values(row).join(' '))
  const titles = async () => {
    const response = await fetch(`${url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
    const { tasks } = (await response.json()) as { tasks: { title: string }[] }
    return [...new Set(tasks.map(({ title }) => title))]
  }
  let [now, next] = ['A', 'B']
  for (const [moment, when] of Object.entries(moments))
    await t.test(moment, async () => {
      const killing = { NODE_OPTIONS: `--import=${KILL_WHEN}`, KILL_WHEN: when(next) }
      const { code } = await program(t, { ...vitrine.env, ...killing }).run(...SYNC, join(vitrine.folder, next))
      assert.equal(code, null, 'it was killed')
      const expected = ['kept', moment === 'once the change is visible' ? next : now]
      assert.deepEqual(await titles(), expected)
      const { stdout } = await run('doctor', '--json')
      assert.equal(
        stdout.includes('interrupted for the tasks of'),
        moment.includes('frozen') || moment.includes('changed'),
      )
      await ok('migrate')
      assert.deepEqual(await titles(), expected)
      assert.deepEqual(await ask('SELECT DISTINCT title FROM tasks ORDER BY seq > 10'), expected)
      assert.deepEqual(await ask('SELECT count(*), min(seq), max(seq) FROM tasks'), [`${MANY} 1 ${MANY}`])
      assert.deepEqual(await ask('SELECT * FROM frozen'), [])
      await ok(...SYNC, next)
      assert.deepEqual(await titles(), ['kept', next])
      ;[now, next] = [next, now]
    })
})

const SYNC = ['task', 'sync', '--workspace', 'acme', '--source', 'tracker']
const KILL_WHEN = join(import.meta.dirname, '../../support/kill-when.ts')
