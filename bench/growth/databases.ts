import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SqlConnection } from '../../src/database/connection.ts'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { createToken, hashToken } from '../../src/lib/key-format.ts'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { insertWorkspace } from '../../src/workspaces/records.ts'

export const WORKSPACE = 'ws_0123456789abcdef01'
const CREATED_AT = '2026-01-01T00:00:00.000Z'

/** The states of the tasks of a workspace, by n (1 to `tasks`, the later in due order the greater it is). */
export interface Shape {
  name: string
  tasks: number
  status?: (n: number) => string
  snoozedUntil?: (n: number) => string | null
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString()
const past = (n: number) => instant(1_600_000_000 + ((n * 104_729) % 90_000_000))
const future = (n: number) => instant(4_000_000_000 + ((n * 104_729) % 90_000_000))

export const shapes = (tasks: number): Shape[] => [
  { name: 'never snoozed', tasks: 100 },
  {
    name: 'mixed states',
    tasks,
    status: (n) => (n % 10 < 4 ? 'open' : n % 2 === 1 ? 'completed' : 'cancelled'),
    snoozedUntil: (n) => (n % 20 === 1 ? past(n) : n % 20 === 2 ? future(n) : null),
  },
  {
    name: 'snoozed, all but the last 1,000 in due order, half of which have expired',
    tasks,
    snoozedUntil: (n) => (n <= tasks - 1000 ? future(n) : n % 2 === 1 ? past(n) : null),
  },
  { name: '99.9 % with expired snoozes', tasks, snoozedUntil: (n) => (n % 1000 === 0 ? null : past(n)) },
  { name: '99.9 % completed', tasks, status: (n) => (n % 1000 === 0 ? 'open' : 'completed') },
]

interface Created {
  path: string
  keyHash: string
}

/** By path: many rows take their time, and nothing that is measured changes their states for long. */
const created = new Map<string, Created>()

/** A database with the rows that an import would leave. */
export async function createDatabase(
  folder: string,
  { name, tasks, status = () => 'open', snoozedUntil = () => null }: Shape,
): Promise<Created> {
  // Whichever list is asked for, the smallest workspace has a full one to give.
  const [books, people] = tasks === 100 ? [1, 1] : [5, 3]
  const path = join(folder, `${name.replace(/\W+/g, '-')}-${tasks}.db`)
  const known = created.get(path)
  if (known !== undefined) return known
  const token = createToken()
  const rows = Array.from({ length: tasks }, (_, i): Row => {
    const n = i + 1
    return {
      id: `task_${n}`,
      title: `Confirm the order with Alvés & Filhos, 東京 ${n}`,
      details: 'They hold the price until Friday; ask “again”.',
      dueAt: n <= tasks * 0.8 ? instant(1_700_000_000 + n * 60) : null,
      bookKey: `book${n % books}`,
      assigneeName: 'Priya Raman',
      assigneeEmail: `person${n % people}@northwind.example`,
      sourceSessionId: `session_${n}`,
      sourceTitle: 'Supplier call, Alvés & Filhos',
      sourceKind: 'meeting',
      createdAt: CREATED_AT,
      status: status(n),
      snoozedUntil: snoozedUntil(n),
    }
  })
  await fillWorkspace(`sqlite:${path}`, currentTasks, rows, { token })
  const database = { path, keyHash: hashToken(token) }
  created.set(path, database)
  return database
}

/** A new workspace with the rows of a list, and with a key if there is a token. */
export async function fillWorkspace(
  url: string,
  list: List,
  rows: readonly Row[],
  { all = resources, token }: { all?: readonly Resource[]; token?: string } = {},
): Promise<void> {
  const store = await openOperatorStore(parseDatabaseUrl(url), all, { create: true })
  await store.transaction(async (tx) => {
    const defaults = { timezone: null, currencyCode: null, countryCode: null, archivedAt: null }
    await insertWorkspace(tx, { id: WORKSPACE, slug: 'bench', name: 'Bench', createdAt: CREATED_AT, ...defaults })
    if (token !== undefined) await addKey(tx, WORKSPACE, token)
    await (await ListWriter.open(tx, list, WORKSPACE)).create(rows)
  })
  await store.close()
}

/** Many workspaces, each with as many keys. */
export async function createKeys(path: string, workspaces: number, keysOfEach: number): Promise<string[]> {
  const store = await openOperatorStore(parseDatabaseUrl(`sqlite:${path}`), resources, { create: true })
  const tokens: string[] = []
  await store.transaction(async (tx) => {
    for (let w = 0; w < workspaces; w++) {
      const id = `ws_${String(w).padStart(18, '0')}`
      const defaults = { timezone: null, currencyCode: null, countryCode: null, archivedAt: null }
      await insertWorkspace(tx, { id, slug: `bench-${w}`, name: `Bench ${w}`, createdAt: CREATED_AT, ...defaults })
      for (let k = 0; k < keysOfEach; k++) {
        const token = createToken()
        await addKey(tx, id, token)
        tokens.push(token)
      }
    }
  })
  await store.close()
  return tokens
}

function addKey(tx: SqlConnection, workspaceId: string, token: string) {
  const hash = hashToken(token)
  return tx.run(
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, created_by, created_at)
     VALUES (?, ?, ?, ?, 'bench', 'workspace:read,tasks:read', 'bench', '${CREATED_AT}')`,
    ...[`key_${hash.slice(0, 18)}`, workspaceId, hash, token.slice(0, 10)],
  )
}

/** Somebody else's connection, which changes the tasks. */
export function connectAsWriter(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000')
  return db
}

/** Changes a text field of rows as quickly as possible; responses that were cached before are not used again. */
export function rowChanger(db: DatabaseSync, list: string, field: string) {
  const change = db.prepare(
    `UPDATE list_items SET body = json_set(body, '$.${field}', ?) WHERE workspace_id = ? AND list = '${list}' AND id = ?`,
  )
  const moveRevision = db.prepare('UPDATE revisions SET number = number + 1 WHERE workspace_id = ?')
  return (workspaceId: string, id: string, text: string): void => {
    db.exec('BEGIN')
    change.run(text, workspaceId, id)
    moveRevision.run(workspaceId)
    db.exec('COMMIT')
  }
}
