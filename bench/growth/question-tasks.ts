import { join } from 'node:path'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { connectForWriting } from '../../src/database/sqlite/connect.ts'
import { columnOf, tablesOf } from '../../src/database/table.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { withClient } from '../../test/support/postgres-server.ts'
import { WORKSPACE } from './databases.ts'

export const NOW = Date.parse('2026-11-16T12:00:00.000Z')
/** The same few tasks stand out in every workspace, however large: these questions find seven or so. */
const RARE = 7

const SYLLABLES = 'ka ro mi ten vel dor sa lun pre cho gri bex tal nor ule sti qua fen'.split(' ')

/** Pseudo-random, but the same in each run. */
const wordOf = (n: number): string =>
  [n, n >> 4, n >> 9].map((part) => SYLLABLES[Math.abs(part * 2_654_435_761) % SYLLABLES.length]).join('')

const textOf = (n: number, words: number) =>
  Array.from({ length: words }, (_, i) => wordOf((n * 31 + i * 7919) % 9973)).join(' ')

export interface TaskRow {
  id: string
  title: string
  details: string
  dueAt: string | null
  bookKey: string
  assigneeName: string | null
  assigneeEmail: string | null
  sourceSessionId: string
}

/** About 250 characters each. Nearly all are due within ten years from now. */
function taskRow(n: number, tasks: number): TaskRow {
  const isRare = n % Math.ceil(tasks / RARE) === 0
  const person = n % 40
  return {
    id: `task_${n}`,
    title: `Confirm the order ${n} ${textOf(n, 3)}${isRare ? ' Zéphyr linen' : ''}`,
    details: textOf(n + 1, 22),
    dueAt: isRare ? null : new Date(NOW + 86_400_000 + (((n * 104_729) % 87_600) + 1) * 3_600_000).toISOString(),
    bookKey: isRare ? 'rare' : `book${n % 25}`,
    assigneeName: isRare ? null : `Person ${wordOf(person)}`,
    assigneeEmail: isRare ? null : `person${person}@northwind.example`,
    sourceSessionId: `session_${n % Math.ceil(tasks / RARE)}`,
  }
}

const COLUMNS = [
  'id',
  'title',
  'details',
  'dueAt',
  'bookKey',
  'assigneeName',
  'assigneeEmail',
  'sourceSessionId',
] as const
/** As many as an import writes with one statement. */
const BATCH = 5000

function* batchesOf(tasks: number): Generator<string> {
  for (let n = 0; n < tasks; n += BATCH)
    yield JSON.stringify(Array.from({ length: Math.min(BATCH, tasks - n) }, (_, i) => taskRow(n + i + 1, tasks)))
}

/** `name` is a list with the fields of tasks. */
export function createQuestionDatabase(
  folder: string,
  tasks: number,
  name = 'tasks',
  all: readonly Resource[] = resources,
): string {
  const path = join(folder, `questions-${name}-${tasks}.db`)
  const db = connectForWriting(path, tablesOf(all), { create: true })
  db.exec(`PRAGMA synchronous = OFF;
    INSERT INTO workspaces (id, slug, name, created_at) VALUES ('${WORKSPACE}', 'bench', 'Bench', '2026-01-01T00:00:00.000Z')`)
  const insert = db.prepare(`INSERT INTO ${name} (workspace_id, ${COLUMNS.map(columnOf).join(', ')})
    SELECT '${WORKSPACE}', ${COLUMNS.map((field) => `value ->> '${field}'`).join(', ')} FROM json_each(?)`)
  for (const rows of batchesOf(tasks)) insert.run(rows)
  db.close()
  return `sqlite:${path}`
}

/** On the PostgreSQL server with this URL. */
export async function createQuestionDatabaseOn(server: string, tasks: number): Promise<string> {
  const database = new URL(server)
  database.pathname = `questions_${tasks}`
  await withClient(server, (client) => client.query(`CREATE DATABASE questions_${tasks}`))
  const store = await openOperatorStore(parseDatabaseUrl(database.href), resources, { create: true })
  await store.close()
  const columns = COLUMNS.map((field) => (field === 'dueAt' ? `"dueAt" timestamptz` : `"${field}" text`)).join(', ')
  await withClient(database.href, async (client) => {
    await client.query(
      `INSERT INTO vitrine.workspaces (id, slug, name, created_at) VALUES ('${WORKSPACE}', 'bench', 'Bench', '2026-01-01Z')`,
    )
    const insert = `INSERT INTO vitrine.tasks (workspace_id, ${COLUMNS.map(columnOf).join(', ')})
      SELECT '${WORKSPACE}', ${COLUMNS.map((field) => `"${field}"`).join(', ')} FROM json_to_recordset($1) AS rows (${columns})`
    for (const rows of batchesOf(tasks)) await client.query(insert, [rows])
    await client.query('VACUUM ANALYZE vitrine.tasks')
  })
  return database.href
}
