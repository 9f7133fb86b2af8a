// Run once: formats are told apart before anything is written; import-differences and sync-records write on both.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { importRecords } from '../../src/import/import-records.ts'
import { resources } from '../../src/resources/index.ts'
import { table } from '../../src/resources/tasks/contract.ts'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOW = '2026-11-15T12:00:00.000Z'

async function acme(t: TestContext) {
  const path = join(temporaryFolder(t), 'vitrine.db')
  const store = await openOperatorStore(parseDatabaseUrl(`sqlite:${path}`), resources, { create: true })
  t.after(() => store.close())
  await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', NOW)
  return {
    /** Imports the chunks and tells what was complained of. */
    async take(...chunks: (string | Buffer)[]) {
      const complaints: string[] = []
      const listener = {
        onBadRecord: ({ line }: { line: number }, problems: string[]) =>
          complaints.push(`${line}: ${problems.join('; ')}`),
        onProgress: () => {},
        onPhase: () => {},
      }
      const source = (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk)
      })()
      const outcome = await importRecords(store, table, 'acme', source, 'test', () => NOW, listener).catch(
        (error: Error) => `${error.name}: ${error.message}`,
      )
      return { outcome, complaints }
    },
    ask(sql: string) {
      const db = new DatabaseSync(path, { readOnly: true })
      const rows = db.prepare(sql).all()
      db.close()
      return rows.map((row) => Object.values(row).join(' '))
    },
  }
}

const same = [
  ['NDJSON', '{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"}\n{"id":"b","title":"Zwö"}\n'],
  ['a JSON array', '[{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"},{"id":"b","title":"Zwö"}]'],
  ['CSV', 'id,title,dueAt\na,One,2026-11-16T16:00:00+09:00\nb,Zwö,\n'],
] as const

for (const [format, file] of same) {
  for (const [how, lead] of [
    ['as it is', ''],
    ['after a byte order mark', '\uFEFF'],
    ['after a byte order mark and blank lines', '\uFEFF\r\n \t\n'],
  ]) {
    test(`${format} is detected by how it begins, ${how}, and byte by byte`, async (t) => {
      const bytes = Buffer.from(lead + file)
      for (const chunks of [[bytes], Array.from(bytes, (byte) => Buffer.from([byte]))]) {
        const { take, ask } = await acme(t)
        assert.deepEqual(await take(...chunks), {
          outcome: { created: 2, replaced: 0, deleted: 0, unchanged: 0 },
          complaints: [],
        })
        assert.deepEqual(ask('SELECT id, title, due_at, status, created_at FROM tasks ORDER BY seq'), [
          `a One 2026-11-16T07:00:00.000Z open ${NOW}`,
          `b Zwö  open ${NOW}`,
        ])
      }
    })
  }
}

test('an empty array and a header alone import no tasks; a file that holds nothing is refused', async (t) => {
  const { take } = await acme(t)
  for (const file of ['[]', 'id,title\n'])
    assert.deepEqual((await take(file)).outcome, { created: 0, replaced: 0, deleted: 0, unchanged: 0 })
  for (const file of ['', ' \n\r\n', '\uFEFF'])
    assert.match(String((await take(file)).outcome), /nothing was imported: the input was empty/)
})

test('an import replaces the whole task of an id and leaves it its place', async (t) => {
  const { take, ask } = await acme(t)
  await take('{"id":"a","title":"One","details":"x","status":"completed"}\n{"id":"b","title":"Two"}\n')
  assert.deepEqual((await take('{"id":"c","title":"Three"}\n{"id":"a","title":"Uno"}\n')).outcome, {
    created: 1,
    replaced: 1,
    deleted: 0,
    unchanged: 0,
  })
  assert.deepEqual(ask('SELECT id, title, details, status FROM tasks ORDER BY seq'), [
    'a Uno  open',
    'b Two  open',
    'c Three  open',
  ])
})

test('every bad line is told by its number, and nothing is imported', async (t) => {
  const { take, ask } = await acme(t)
  const { outcome, complaints } = await take(
    '{"id":"a","title":"One"}\n{"id":"b"}\n{"id":"c",\n{"id":"d","title":"Four"}\n\n[]\n{"id":"e","title":"Five","colour":1,"dueAt":"2026-02-30T00:00:00Z"}\n',
  )
  assert.equal(outcome, 'UserError: nothing was imported: 4 bad lines')
  assert.deepEqual(complaints, [
    '2: title is required',
    '3: Expected double-quoted property name in JSON at position 10',
    '6: the record must be an object',
    '7: colour is not known here; dueAt must be a date and time that exists, with an offset, such as 2026-11-15T09:00:00Z',
  ])
  assert.deepEqual(ask('SELECT count(*) FROM tasks'), ['0'])
  assert.deepEqual(ask("SELECT count(*) FROM audit WHERE action = 'tasks.imported'"), ['0'])
})

test('an import of many tasks leaves the indexes as they were', async (t) => {
  const { take, ask } = await acme(t)
  const indexes = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks' ORDER BY rowid"
  const before = ask(indexes)
  const records = Array.from({ length: 12_000 }, (_, i) => `{"id":"${i % 11_000}","title":"Task","bookKey":"x"}\n`)
  assert.deepEqual((await take(records.join(''))).outcome, {
    created: 11_000,
    replaced: 1000,
    deleted: 0,
    unchanged: 0,
  })
  assert.deepEqual(ask(indexes), before)
  assert.deepEqual(
    ask(
      "SELECT count(*) FROM tasks INDEXED BY tasks_of_book WHERE status = 'open' AND snoozed_until IS NULL AND book_key = 'x' AND workspace_id != ''",
    ),
    ['11000'],
  )
  assert.deepEqual(ask('PRAGMA integrity_check'), ['ok'])
})

test('a record that nests deep or holds very many values is refused before it is parsed, in NDJSON and in an array', async (t) => {
  const { take, ask } = await acme(t)
  const deep = `{"id":"a","title":"A","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
  const wide = `{"id":"a","title":"A","x":[${'0,'.repeat(20_000)}0]}`
  for (const file of [`${deep}\n${wide}\n`, `[${deep},${wide}]`]) {
    const { outcome, complaints } = await take(file)
    assert.equal(outcome, 'UserError: nothing was imported: 2 bad lines')
    assert.deepEqual(
      complaints.map((complaint) => complaint.replace(/^\d+: /, '')),
      ['the record nests deeper than 64 levels', 'the record holds more than 10000 values'],
    )
  }
  assert.deepEqual(ask('SELECT count(*) FROM tasks'), ['0'])
})
