import { spawnSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { PROGRAM } from '../harness/vitrine.ts'
import { measureCommand } from './measure-command.ts'
import { SOURCE } from './task-files.ts'
import { type Importer, SLUG } from './trials.ts'

const vitrine = (database: string, ...args: string[]) =>
  measureCommand(PROGRAM, args, { DATABASE_URL: `sqlite:${database}` })

export const taskImport: Importer = {
  name: '`vitrine task import`',
  run: (database, { ndjson }) => vitrine(database, 'task', 'import', '--workspace', SLUG, ndjson),
}

export const taskSync: Importer = {
  name: '`vitrine task sync`',
  run: (database, { ndjson }) =>
    vitrine(database, 'task', 'sync', '--workspace', SLUG, '--source', SOURCE, '--max-gone', '100%', ndjson),
}

export const deleteWorkspace: Importer = {
  name: '`vitrine workspace delete`',
  run: (database) => vitrine(database, 'workspace', 'delete', SLUG, '--yes'),
}

export const isSqlite3Here = (): boolean => spawnSync('sqlite3', ['--version']).status === 0

/** `.import` makes one transaction by itself. Each step is an SQL statement or a command of the shell. */
const sqlite3 = (database: string, csv: string, { before = [], after = [] }: { before?: string[]; after?: string[] }) =>
  measureCommand('sqlite3', [
    '-bail',
    database,
    'PRAGMA synchronous = FULL',
    ...before,
    '.mode csv',
    `.import ${csv} tasks`,
    ...after,
  ])

/** The index of the rows that have a source, which Vitrine's imports have not, and rows of `.import` cannot but have. */
const WITHOUT_SOURCES = 'DROP INDEX tasks_of_source'

export const dotImport: Importer = {
  name: '`sqlite3 .import`',
  run: (database, { csv }) => sqlite3(database, csv, { before: [WITHOUT_SOURCES] }),
}

/** What someone who knows SQLite well would do by hand. */
export const dotImportThenIndexes: Importer = {
  name: '`sqlite3 .import`, indexes dropped before and created after',
  run: (database, { csv }) => {
    const indexes = indexesOf(database)
    const before = indexes.map(({ name }) => `DROP INDEX ${name}`)
    const kept = indexes.filter(({ name }) => name !== 'tasks_of_source')
    return sqlite3(database, csv, { before, after: kept.map(({ sql }) => sql) })
  },
}

/** The way to bring a whole snapshot in by hand: `.import` itself can only add. */
export const replaceAll: Importer = {
  name: '`sqlite3`: delete all, then `.import`',
  run: (database, { csv }) => sqlite3(database, csv, { before: ['BEGIN', 'DELETE FROM tasks'], after: ['COMMIT'] }),
}

function indexesOf(path: string): { name: string; sql: string }[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks' AND sql IS NOT NULL")
    .all()
  db.close()
  return indexes.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
}
