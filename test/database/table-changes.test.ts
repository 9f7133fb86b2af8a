// Run once: each test covers both engines itself.
/** What a new version of a table may change, on both engines. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { Table } from '../../src/database/table.ts'
import { recordSchema } from '../../src/import/record-schema.ts'
import { type Column, choice, creation, email, instant, integer, text } from '../../src/lists/column.ts'
import { connectElsewhere, type Engine, freshDatabaseUrl, onEach } from '../support/database.ts'

const AT = '2026-01-01T00:00:00.000Z'
const columns = {
  id: text({ maxLength: 10, description: '' }),
  createdAt: creation({ published: false, description: '' }),
}
const shelves = (version: number, more: Record<string, Column>): Table => ({
  ...{ name: 'shelves', singular: 'shelf', version },
  columns: { ...columns, ...more },
  listing: { order: [], limit: 10 },
})

async function start(t: TestContext, engine: Engine) {
  const url = await freshDatabaseUrl(t, engine)
  const open = async (table: Table) => {
    const store = await openOperatorStore(parseDatabaseUrl(url), [{ table }], { create: true })
    await store.close()
  }
  /** In the database, with the workspace `w`. */
  const connect = async () => {
    const elsewhere = await connectElsewhere(url, t)
    await elsewhere.run(`INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', '${AT}')`)
    return elsewhere
  }
  return { open, connect }
}

onEach('a choice can gain a value, and lose one without changing the rows that have it', async (t, engine) => {
  const { open, connect } = await start(t, engine)
  const state = (...words: [string, ...string[]]) => ({ state: choice(words, { description: '' }) })
  await open(shelves(1, state('new', 'used')))
  const elsewhere = await connect()
  const insert = (id: string, word: string) =>
    elsewhere.run(`INSERT INTO shelves (workspace_id, id, state, created_at) VALUES ('w', '${id}', '${word}', '${AT}')`)
  await insert('a', 'used')
  await open(shelves(2, state('new', 'lost')))
  await insert('b', 'lost')
  const states = await elsewhere.all<{ state: string }>('SELECT state FROM shelves ORDER BY id')
  assert.deepEqual(
    states.map(({ state }) => state),
    ['used', 'lost'],
  )
})

onEach('a column keeps its kind, even if another kind has the same SQL type', async (t, engine) => {
  const { open } = await start(t, engine)
  const options = { nullable: true, description: '' }
  await open(shelves(1, { note: text({ ...options, maxLength: 320 }) }))
  for (const note of [instant(options), email(options)])
    await assert.rejects(open(shelves(2, { note })), {
      name: 'StorageError',
      message: new RegExp(
        `has the column note of shelves as text: .*, and its definition as ${note.kind}: .*only ever added$`,
      ),
    })
  await open(shelves(2, { note: text({ ...options, maxLength: 100 }) }))
})

onEach('a new required column gives existing rows its default', async (t, engine) => {
  const { open, connect } = await start(t, engine)
  await open(shelves(1, {}))
  const elsewhere = await connect()
  await elsewhere.run(`INSERT INTO shelves (workspace_id, id) VALUES ('w', 'a')`)
  const note = text({ maxLength: 20, default: "the owner's", description: '' })
  const second = shelves(2, { note, level: integer({ default: 3, description: '' }) })
  await open(second)
  const [row] = await elsewhere.all<{ note: string; level: unknown }>('SELECT note, level FROM shelves')
  assert.equal(`${row?.note} ${row?.level}`, "the owner's 3")

  const { toRow } = recordSchema(second)
  assert.deepEqual(toRow({ id: 'b' }), { row: { id: 'b', createdAt: null, note: "the owner's", level: 3 } })
  assert.deepEqual(toRow({ id: 'b', note: '' }), { problems: ['note must not be empty'] })
})
