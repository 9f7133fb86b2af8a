import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connectForWriting } from '../../src/database/sqlite/connect.ts'
import { tablesOf } from '../../src/database/table.ts'
import { createToken, hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'

export const WORKSPACE = 'ws_0123456789abcdef01'

/** The states of the tasks of a workspace, as SQL over n (1 to `tasks`, the later in due order the greater it is). */
export interface Shape {
  name: string
  tasks: number
  status?: string
  snoozedUntil?: string
}

const PAST = `strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + (n * 104729) % 90000000, 'unixepoch')`
const FUTURE = `strftime('%Y-%m-%dT%H:%M:%fZ', 4000000000 + (n * 104729) % 90000000, 'unixepoch')`

export const shapes = (tasks: number): Shape[] => [
  { name: 'never snoozed', tasks: 100 },
  {
    name: 'mixed states',
    tasks,
    status: `iif(n % 10 < 4, 'open', iif(n % 2, 'completed', 'cancelled'))`,
    snoozedUntil: `CASE n % 20 WHEN 1 THEN ${PAST} WHEN 2 THEN ${FUTURE} END`,
  },
  {
    name: 'snoozed, all but the last 1,000 in due order, half of which have expired',
    tasks,
    snoozedUntil: `CASE WHEN n <= ${tasks - 1000} THEN ${FUTURE} WHEN n % 2 THEN ${PAST} END`,
  },
  { name: '99.9 % with expired snoozes', tasks, snoozedUntil: `iif(n % 1000, ${PAST}, NULL)` },
  { name: '99.9 % completed', tasks, status: `iif(n % 1000, 'completed', 'open')` },
]

interface Created {
  path: string
  keyHash: string
}

/** By path: many rows take their time, and nothing that is measured changes their states for long. */
const created = new Map<string, Created>()

/** A database in the real schema, its rows as an import would leave them, filled in SQL because that is quicker. */
export function createDatabase(
  folder: string,
  { name, tasks, status = `'open'`, snoozedUntil = 'NULL' }: Shape,
): Created {
  // Whichever list is asked for, the smallest workspace has a full one to give.
  const [books, people] = tasks === 100 ? [1, 1] : [5, 3]
  const path = join(folder, `${name.replace(/\W+/g, '-')}-${tasks}.db`)
  const known = created.get(path)
  if (known !== undefined) return known
  const db = connectForWriting(path, tablesOf(resources), { create: true })
  db.exec(`PRAGMA synchronous = OFF;
    INSERT INTO workspaces (id, slug, name, created_at) VALUES ('${WORKSPACE}', 'bench', 'Bench', '2026-01-01T00:00:00.000Z')`)
  const token = createToken()
  addKey(db, WORKSPACE, token)
  const extras = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'tasks' AND type <> 'table' AND sql IS NOT NULL`,
    )
    .all()
  for (const extra of extras) db.exec(`DROP ${extra.type} ${extra.name}`)
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${tasks}),
    states AS (SELECT n, ${status} AS status, ${snoozedUntil} AS snoozed_until FROM numbers)
    INSERT INTO tasks (workspace_id, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id,
                       source_title, source_kind, created_at, status, snoozed_until, snooze_expired)
    SELECT '${WORKSPACE}', 'task_' || n, 'Confirm the order with Alvés & Filhos, 東京 ' || n,
           'They hold the price until Friday; ask “again”.',
           iif(n <= ${tasks} * 0.8, strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n * 60, 'unixepoch'), NULL),
           'book' || (n % ${books}), 'Priya Raman', 'person' || (n % ${people}) || '@northwind.example', 'session_' || n,
           'Supplier call, Alvés & Filhos', 'meeting', '2026-01-01T00:00:00.000Z', status, snoozed_until,
           coalesce(snoozed_until <= '2026', 0)
    FROM states`)
  for (const { sql } of extras) db.exec(String(sql))
  db.close()
  const database = { path, keyHash: hashToken(token) }
  created.set(path, database)
  return database
}

/** Many workspaces, each with as many keys. */
export function createKeys(path: string, workspaces: number, keysOfEach: number): string[] {
  const db = connectForWriting(path, tablesOf(resources), { create: true })
  db.exec('PRAGMA synchronous = OFF; BEGIN')
  const insert = db.prepare(
    `INSERT INTO workspaces (id, slug, name, created_at) VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z')`,
  )
  const tokens: string[] = []
  for (let w = 0; w < workspaces; w++) {
    const id = `ws_${String(w).padStart(18, '0')}`
    insert.run(id, `bench-${w}`, `Bench ${w}`)
    for (let k = 0; k < keysOfEach; k++) {
      const token = createToken()
      addKey(db, id, token)
      tokens.push(token)
    }
  }
  db.exec('COMMIT')
  db.close()
  return tokens
}

function addKey(db: DatabaseSync, workspaceId: string, token: string): void {
  const hash = hashToken(token)
  db.prepare(
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, created_by, created_at)
     VALUES (?, ?, ?, ?, 'bench', 'workspace:read,tasks:read', 'bench', '2026-01-01T00:00:00.000Z')`,
  ).run(`key_${hash.slice(0, 18)}`, workspaceId, hash, token.slice(0, 10))
}

/** Somebody else's connection, which changes the tasks. */
export function connectAsWriter(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000')
  return db
}
