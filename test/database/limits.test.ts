// Run once: each test covers both engines itself.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { importedColumns } from '../../src/database/table.ts'
import { importRecords } from '../../src/import/import-records.ts'
import { isEmail } from '../../src/lib/email.ts'
import { table } from '../../src/resources/tasks/current-tasks.ts'
import { findWorkspace, listWorkspaces } from '../../src/workspaces/records.ts'
import { createWorkspace } from '../support/changes.ts'
import {
  availableEngines,
  changeElsewhere,
  connectElsewhere,
  type Engine,
  insertion,
  literal,
  onEach,
  skipWithoutPostgres,
} from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { startService } from '../support/service.ts'
import { openStore } from '../support/stores.ts'

const NOW = '2026-11-15T12:00:00.000Z'
/** Four bytes in UTF-8 and two units in JavaScript, and still one character. */
const WIDE = '👜'

const taskLimits = Object.fromEntries(
  importedColumns(table).flatMap(({ field, maxLength }) => (maxLength ? [[field, maxLength]] : [])),
)

/** An operator, and another program that writes to the same database with SQL. */
async function start(t: TestContext, engine: Engine) {
  const url = await migratedDatabaseUrl(t, engine)
  const operator = await startOperator(t, url)
  const elsewhere = await connectElsewhere(url, t)
  let tasks = 0
  const insertTask = (columns: Record<string, string | null>) => {
    const row = { workspace_id: operator.workspace.id, id: `t${++tasks}`, title: 'A', created_at: NOW, ...columns }
    return elsewhere.run(insertion('tasks', [row]))
  }
  return { ...operator, url, elsewhere, insertTask }
}

const textOf = (field: string, length: number) =>
  field === 'assigneeEmail' ? `${'x'.repeat(length - 2)}@y` : WIDE.repeat(length)

test('every text of a task has the limit that the contract states', () => {
  const texts = importedColumns(table).filter(({ kind }) => kind !== 'instant' && kind !== 'choice')
  assert.deepEqual(Object.fromEntries(texts.map(({ field, maxLength }) => [field, maxLength])), taskLimits)
  assert.deepEqual(taskLimits, {
    id: 200,
    title: 500,
    details: 10_000,
    bookKey: 200,
    assigneeName: 200,
    assigneeEmail: 320,
    sourceSessionId: 200,
    sourceTitle: 500,
    sourceSummary: 10_000,
    sourceKind: 100,
  })
})

const label = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.'), minLength: 0, maxLength: 6 })
const longLabel = fc.integer({ min: 61, max: 66 }).map((length) => 'x'.repeat(length))
const local = fc.string({
  unit: fc.constantFrom('a', '.', '-', "'", '`', '+', '"', ' ', 'é', '\u212a', '^', ']', '\\'),
})
const email = fc.oneof(
  fc.tuple(local, fc.constantFrom('@', '@@', '', '@a.'), label).map((parts) => parts.join('')),
  fc.tuple(fc.constant('a.b'), fc.constant('@'), label, longLabel, label).map((parts) => parts.join('')),
  fc.emailAddress(),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
)

onEach('the database and the importer agree on valid email addresses', async (t, engine) => {
  const { insertTask } = await start(t, engine)
  await fc.assert(
    fc.asyncProperty(email, async (assignee_email) => {
      const isStored = await insertTask({ assignee_email }).then(
        () => true,
        (error: Error) => {
          assert.match(error.message, /tasks_assignee_email_is_an_address/)
          return false
        },
      )
      assert.equal(isStored, isEmail(assignee_email))
    }),
    { numRuns: 200 },
  )
})

onEach('the database and the program agree on valid slugs', async (t, engine) => {
  const { store, elsewhere } = await start(t, engine)
  let n = 0
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'stored',
      (error: Error) => (/workspaces_slug_form|the slug must be/.test(error.message) ? 'refused' : error.message),
    )
  const slug = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '9', '-', 'A', '_', 'é', '\n', ' '), maxLength: 4 }),
    fc.integer({ min: 61, max: 65 }).map((length) => 'x'.repeat(length)),
  )
  await fc.assert(
    fc.asyncProperty(slug, async (text) => {
      const byProgram = await outcome((async () => createWorkspace(store, { name: 'W', slug: text }, 'test', NOW))())
      await elsewhere.run(`DELETE FROM workspaces WHERE slug = ${literal(text)}`)
      const row = { id: `w${++n}`, slug: text, name: 'W', createdAt: NOW }
      const bySql = await outcome(elsewhere.run(insertion('workspaces', [row])))
      await elsewhere.run(`DELETE FROM workspaces WHERE slug = ${literal(text)}`)
      assert.equal(bySql, byProgram)
      assert.match(bySql, /^(stored|refused)$/)
    }),
    { numRuns: 60 },
  )
  await assert.rejects(elsewhere.run("UPDATE workspaces SET slug = 'Not A Slug'"), /workspaces_slug_form: slug must be/)
})

onEach('a timezone must be an IANA name in its exact spelling, and a new one is added', async (t, engine) => {
  const { store, elsewhere } = await start(t, engine)
  let n = 0
  const create = async (timezone: string) =>
    createWorkspace(store, { name: 'W', slug: `w${++n}`, timezone }, 'test', NOW)
  const insert = (timezone: string) =>
    elsewhere.run(`INSERT INTO workspaces (id, slug, name, timezone, created_at)
      VALUES ('w${++n}', 'w${n}', 'W', '${timezone}', '${NOW}')`)
  for (const name of ['Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'UTC', 'Etc/GMT+1', 'America/Coyhaique']) {
    await create(name)
    await insert(name)
  }
  for (const name of ['Mars/Olympus', 'us/pacific', 'asia/kolkata', '+01:00', '']) {
    await assert.rejects(create(name), { name: 'InvalidValueError', message: /is not an IANA timezone|is spelled/ })
    await assert.rejects(insert(name), /workspaces_timezone_known: timezone must be a name of the IANA database/)
  }
  await assert.rejects(elsewhere.run("UPDATE workspaces SET timezone = 'EST6'"), /workspaces_timezone_known/)
  await assert.rejects(create('asia/kolkata'), { message: 'the timezone "asia/kolkata" is spelled Asia/Kolkata' })

  await elsewhere.run("DELETE FROM timezones WHERE name = 'Europe/Lisbon'")
  await assert.rejects(insert('Europe/Lisbon'), /workspaces_timezone_known/)
  await create('Europe/Lisbon')
  await insert('Europe/Lisbon')
})

test(
  'both databases start with the same list of timezones, with every name that Intl has',
  skipWithoutPostgres(),
  async (t) => {
    const [sqlite, postgres] = [await start(t, 'sqlite'), await start(t, 'postgres')]
    const list = async ({ elsewhere }: typeof sqlite) =>
      (await elsewhere.all<{ name: string }>('SELECT name FROM timezones')).map(({ name }) => name).sort()
    const known = await list(sqlite)
    assert.deepEqual(await list(postgres), known)
    assert.deepEqual(new Set(Intl.supportedValuesOf('timeZone')).difference(new Set(known)), new Set())
  },
)

onEach('an import reports the field, its limit and the actual length, and stores nothing', async (t, engine) => {
  const { store, elsewhere } = await start(t, engine)
  const records = Object.entries(taskLimits).map(([field, limit], i) =>
    JSON.stringify({ id: `t${i}`, title: 'A', [field]: textOf(field, limit + 1) }),
  )
  const complaints: string[] = []
  const source = (async function* () {
    yield Buffer.from(`{"id":"good","title":"A"}\n${records.join('\n')}\n`)
  })()
  const onBadRecord = (_: unknown, problems: string[]) => complaints.push(problems.join('; '))
  const context = { store, table, actor: 'test', onBadRecord }
  await assert.rejects(importRecords(context, 'acme', { chunks: source }), /nothing was imported: 10 bad/)
  assert.deepEqual(
    complaints,
    Object.entries(taskLimits).map(
      ([field, limit]) => `${field} must be at most ${limit} characters, and has ${limit + 1}`,
    ),
  )
  assert.deepEqual(await elsewhere.all('SELECT id FROM tasks'), [])
})

onEach(
  'a large import that the database rejects names the rule, and leaves no task and every index',
  async (t, engine) => {
    const { addTasks, elsewhere, url } = await start(t, engine)
    const indexes = () =>
      elsewhere.all(
        url.startsWith('sqlite:')
          ? "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'tasks' ORDER BY name"
          : "SELECT indexdef FROM pg_indexes WHERE tablename = 'tasks' ORDER BY 1",
      )
    const before = await indexes()
    const rows = Array.from({ length: 10_500 }, (_, i) => ({ id: `t${i}`, title: i === 10_499 ? '' : 'A' }))
    await assert.rejects(addTasks(rows), {
      name: 'StorageError',
      message: /the database rejects a row: tasks_title_not_empty: title must not be empty$/,
    })
    assert.deepEqual(await elsewhere.all('SELECT id FROM tasks'), [])
    assert.deepEqual(await indexes(), before)
    await addTasks(rows.slice(0, 10_499))
    assert.deepEqual(await indexes(), before)
  },
)

onEach('a row from before the limits stays unchanged, can still be used, and is named by a copy', async (t, engine) => {
  const { elsewhere, insertTask, url } = await start(t, engine)
  const off = engine === 'sqlite' ? 'DROP TRIGGER tasks_insert_checked' : 'ALTER TABLE tasks DISABLE TRIGGER USER'
  await elsewhere.run(off)
  await insertTask({ id: 'old', details: 'x'.repeat(10_001) })
  if (engine === 'postgres') await elsewhere.run('ALTER TABLE tasks ENABLE TRIGGER USER')
  await elsewhere.run(`UPDATE tasks SET snooze_expired = ${engine === 'sqlite' ? 1 : true}`)
  await elsewhere.run("UPDATE tasks SET status = 'completed'")
  await elsewhere.run("UPDATE workspaces SET archived_at = '2026-11-15T12:00:00.000Z'")

  for (const to of availableEngines()) {
    const [source, target] = [await openStore(t, url), await openStore(t, await migratedDatabaseUrl(t, to))]
    await assert.rejects(target.load(source.dump()), /rejects a row: tasks_details_at_most_10000_characters/)
    assert.deepEqual(await target.read((tx) => listWorkspaces(tx)), [])
  }
  const [row] = await elsewhere.all<{ id: string; status: string }>('SELECT id, status FROM tasks')
  assert.deepEqual({ ...row }, { id: 'old', status: 'completed' })
})

onEach('a copy includes a timezone that only the original has added', async (t, engine) => {
  const { store, elsewhere } = await start(t, engine)
  await createWorkspace(store, { name: 'W', slug: 'w', timezone: 'Europe/Lisbon' }, 'test', NOW)
  for (const to of availableEngines()) {
    const url = await migratedDatabaseUrl(t, to)
    const target = await openStore(t, url)
    await changeElsewhere(url, "DELETE FROM timezones WHERE name = 'Europe/Lisbon'")
    await target.load(store.dump())
    assert.equal((await target.read((tx) => findWorkspace(tx, 'w')))?.timezone, 'Europe/Lisbon')
  }
  await elsewhere.run('DELETE FROM workspaces')
})

onEach('no /tasks response is larger than 13,191,211 bytes', async (t, engine) => {
  const service = await startService(t, { engine })
  // No character takes more bytes as JSON than one that is escaped by its number.
  const longest = Object.fromEntries(
    Object.entries(taskLimits).map(([field, limit]) => [
      field,
      field === 'assigneeEmail' ? textOf(field, limit) : '\u0001'.repeat(limit),
    ]),
  )
  // A busy PostgreSQL may take longer to read a hundred of them than a statement is given.
  const [stored, served] = engine === 'sqlite' ? [101, 100] : [2, 2]
  const ids = Array.from({ length: stored }, (_, i) => String(i))
  await service.addTasks(ids.map((id) => ({ ...longest, id: id.padEnd(200, '\u0001'), dueAt: NOW })))
  const { byteLength } = await (await service.get('/tasks')).arrayBuffer()
  const largest = '{"tasks":[]}'.length + served * 131_911 + served - 1
  assert.equal(largest, engine === 'sqlite' ? 13_191_211 : 263_835)
  // The ids have to differ: they have digits in place of escapes.
  assert.equal(byteLength, largest - ids.slice(0, served).join('').length * 5)
})
