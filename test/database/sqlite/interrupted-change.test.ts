/** What a killed large change leaves behind, and what others do meanwhile. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { lockName } from '../../../src/database/sqlite/files/file-lock.ts'
import { LARGE_ROWS } from '../../../src/database/sqlite/frozen.ts'
import { WorkspaceRows } from '../../../src/database/sqlite/large-change.ts'
import { writeSoon } from '../../../src/database/sqlite/write-lock.ts'
import type { OperatorStore } from '../../../src/database/store.ts'
import { deleteWorkspace } from '../../../src/provisioning/delete-workspace.ts'
import { table } from '../../../src/resources/tasks/current-tasks.ts'
import { createWorkspace, deleteRow } from '../../support/changes.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore } from '../../support/stores.ts'
import { NOW, startSyncing, syncInto } from '../../support/syncing.ts'

const FEW = 100
const MANY = LARGE_ROWS + 500

const snapshot = (title: string, count = MANY, prefix = 't') =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify({ id: `${prefix}${i}`, title })}\n`).join('')

async function start(t: TestContext) {
  const syncing = await startSyncing(t, await migratedDatabaseUrl(t, 'sqlite'))
  const path = syncing.url.replace('sqlite:', '')
  const db = new DatabaseSync(path)
  t.after(() => db.close())
  const rows = new WorkspaceRows({ db, path }, table, syncing.workspace.id)
  return {
    ...syncing,
    path,
    db,
    rows,
    /** Freezes the rows and changes some of them, as a sync that is then killed. */
    async interrupt(...changes: string[]) {
      // After another connection changed the schema, SQLite fails once at a statement that opens a virtual table.
      db.prepare('SELECT 1 FROM frozen').get()
      await rows.copy()
      const [revision] = await syncing.ask(
        `SELECT number FROM revisions WHERE workspace_id = '${syncing.workspace.id}'`,
      )
      assert.ok(await rows.freeze(Number(revision)))
      db.exec('BEGIN IMMEDIATE')
      await rows.writing(() => {
        for (const change of changes) db.exec(change)
      })
      db.exec('COMMIT')
    },
  }
}

const HALF = `UPDATE tasks SET title = 'half' WHERE seq > 0 AND seq % 2 = 0`

test('rows are restored exactly as they were: values, marks, seqs and revision', async (t) => {
  const { sync, ask, store, workspace, interrupt } = await start(t)
  const tasks = Array.from({ length: 300 }, (_, i) => ({
    id: `t${i}`,
    title: 'old',
    ...(i % 3 === 0 && { snoozedUntil: i % 2 ? '2020-01-01T00:00:00Z' : '2099-01-01T00:00:00Z' }),
    ...(i % 5 === 0 && { details: 'some' }),
  }))
  await sync(tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
  const state = async () => [
    ...(await ask('SELECT * FROM tasks ORDER BY seq')),
    ...(await ask('SELECT * FROM revisions')),
  ]
  const before = await state()
  await interrupt(
    HALF,
    'DELETE FROM tasks WHERE seq > 250 OR seq BETWEEN 1 AND 20',
    `UPDATE tasks SET snoozed_until = iif(seq % 2, NULL, '2021-01-01T00:00:00.000Z'), details = NULL WHERE seq > 100`,
    `INSERT INTO tasks (workspace_id, id, title) SELECT '${workspace.id}', 'n' || value, 'n' FROM json_each('[1, 2, 3]')`,
  )
  await store.tidy()
  assert.deepEqual(await state(), before)
})

test("a large sync of another workspace leaves an interrupted change's copy to its readers", async (t) => {
  const { sync, ask, store, workspace, interrupt } = await start(t)
  await sync(snapshot('old', FEW))
  await createWorkspace(store, { name: 'Other', slug: 'other' }, 'test', NOW)
  await interrupt(HALF)
  assert.deepEqual(await sync(snapshot('x'), { workspace: 'other' }), {
    created: MANY,
    changed: 0,
    gone: 0,
    unchanged: 0,
  })
  assert.deepEqual(await ask(`SELECT title, count(*) FROM tasks WHERE workspace_id = '${workspace.id}~'`), [
    `old ${FEW}`,
  ])
  await store.tidy()
  assert.deepEqual(await ask(`SELECT title, count(*) FROM tasks WHERE workspace_id = '${workspace.id}' GROUP BY 1`), [
    `old ${FEW}`,
  ])
})

test('a large change that waited for a killed one starts with the old rows', async (t) => {
  const { sync, ask, rows, interrupt } = await start(t)
  await sync(snapshot('old', FEW))
  const revision = Number((await ask('SELECT number FROM revisions'))[0])
  await interrupt(HALF)
  if (await rows.begin(revision)) await rows.end()
  assert.deepEqual(await ask('SELECT DISTINCT title FROM tasks'), ['old'])
})

test('a workspace that is renamed while a large sync is stored is still synced', async (t) => {
  const { sync, interleaved, ask, elsewhere } = await start(t)
  await sync(snapshot('old'))
  const rename = interleaved(() => elsewhere.run(`UPDATE workspaces SET name = 'Acme 2'`))
  assert.deepEqual(await rename(snapshot('new')), { created: 0, changed: MANY, gone: 0, unchanged: 0 })
  assert.deepEqual(await ask('SELECT DISTINCT title FROM tasks'), ['new'])
})

test('rows that replace all others get seqs after them', async (t) => {
  const { sync, ask } = await start(t)
  await sync(snapshot('old'))
  for (const [i, prefix] of ['a', 'b', 'c'].entries()) {
    assert.deepEqual(await sync(snapshot('new', MANY, prefix), { maxGone: { percent: 100 } }), {
      created: MANY,
      changed: 0,
      gone: MANY,
      unchanged: 0,
    })
    const from = MANY * (i + 1)
    assert.deepEqual(await ask('SELECT min(seq), max(seq) FROM tasks'), [`${from + 1} ${from + MANY}`])
  }
})

test('neither interrupted rows nor their copy can be changed, not even a half-deleted task', async (t) => {
  const { sync, ask, store, elsewhere, interrupt } = await start(t)
  await sync(snapshot('old', FEW))
  await interrupt(`UPDATE tasks SET title = 'new' WHERE seq > 0`, `DELETE FROM tasks WHERE id = 't5' AND seq > 0`)
  await assert.rejects(elsewhere.run(`UPDATE tasks SET status = 'completed' WHERE title = 'old'`), /tasks_frozen/)
  await assert.rejects(deleteRow(store, table, 'acme', 't5', 'test'), /the tasks of acme are being changed/)
  assert.deepEqual(await ask(`SELECT 1 FROM audit WHERE action = 'tasks.deleted'`), [])
})

test('a copy of the database omits what an interrupted workspace deletion left behind', async (t) => {
  const { sync, ask, store, elsewhere } = await start(t)
  await sync(snapshot('old'))
  await elsewhere.run('DELETE FROM sources; DELETE FROM workspaces')
  assert.deepEqual(await ask('SELECT count(*) FROM tasks'), [String(MANY)])
  const target = await openStore(t, await migratedDatabaseUrl(t, 'sqlite'))
  assert.equal((await target.load(store.dump())).get('tasks'), 0)
  await store.tidy()
  assert.deepEqual(await ask('SELECT count(*) FROM tasks'), ['0'])
})

test("a workspace is deleted while another's large change is in progress", async (t) => {
  const { store, path, ask } = await start(t)
  const lock = lockName(path, 'large change')
  t.after(() => lock?.release())
  await deleteWorkspace(store, [table], 'acme', 'test')
  assert.deepEqual(await ask('SELECT * FROM workspaces'), [])
})

test('with a workspace, the copy is deleted that a large change left when it was killed before it began', async (t) => {
  const { sync, ask, store, db, rows } = await start(t)
  await sync(snapshot('old', FEW))
  db.prepare('SELECT 1 FROM frozen').get()
  await rows.copy()
  assert.deepEqual(await ask('SELECT count(*) FROM tasks'), [String(2 * FEW)])
  await deleteWorkspace(store, [table], 'acme', 'test')
  assert.deepEqual(await ask('SELECT count(*) FROM tasks'), ['0'])
})

test('rows that change during the comparison are compared again without the write lock', async (t) => {
  const { store, sync, elsewhere, ask, workspace } = await start(t)
  await sync(snapshot('old', FEW))
  const inTransaction: boolean[] = []
  let changes = 0
  const stage: typeof store.stage = (of) => {
    const staging = store.stage(of)
    const compare = staging.compare.bind(staging)
    staging.compare = async (scope, tx) => {
      const difference = await compare(scope, tx)
      inTransaction.push(tx !== undefined)
      if (tx === undefined && changes++ < 2)
        await elsewhere.run(
          `UPDATE tasks SET details = '${changes}' WHERE id = 't9' AND workspace_id = '${workspace.id}'`,
        )
      return difference
    }
    return staging
  }
  const beside = { read: store.read.bind(store), transaction: store.transaction.bind(store), stage } as OperatorStore
  assert.deepEqual(await syncInto(beside, snapshot('new', FEW), {}), {
    created: 0,
    changed: FEW,
    gone: 0,
    unchanged: 0,
  })
  assert.deepEqual(inTransaction, [false, false, false, true])
  assert.deepEqual(await ask('SELECT DISTINCT title, details FROM tasks'), ['new '])
})

test('requests with known and unknown keys are written concurrently over one connection', async (t) => {
  const { db } = await start(t)
  assert.deepEqual(await Promise.all([writeSoon(db, () => {}), writeSoon(db, () => {})]), [true, true])
})
