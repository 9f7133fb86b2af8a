/**
 * Until version 100 of the schema, each list had a table of its own. A database of such a version gets the schema of a new one, in one
 * transaction: its tables are set aside as `before_NAME`, the schema is created, and their rows are copied, by the columns that both have.
 * What release 0.2.0 kept elsewhere follows, then the rows of lists.
 */

import type { Transaction } from './connection.ts'
import { moveStatements, type OldList } from './old-lists.ts'
import { countFrom, FORGET_CHANGES, quoted, revisionAt } from './statements.ts'
import { copiedTables, notCopied } from './tables/copied-tables.ts'
import type { Upgrade } from './tables/declared-lists.ts'

/** What differs between the engines. */
interface OldDatabase {
  engine: 'sqlite' | 'postgres'
  tx: Transaction
  version: number
  /** Of all tables. */
  columns(): Promise<{ table: string; name: string }[]>
  /** As `before_NAME`, without indexes and triggers. */
  setAside(tables: readonly string[], lists: readonly OldList[]): Promise<void>
  createSchema(): Promise<void>
  /** Drops what was set aside. */
  finish(tables: readonly string[]): Promise<void>
}

export async function upgrade(old: OldDatabase): Promise<Upgrade> {
  const { engine, tx, version } = old
  const known = columnsByTable(await old.columns())
  const isLastRelease = known.has('key_incidents')
  const isOurs = (table: string) => known.has(table) && !(isLastRelease && SINCE_LAST_RELEASE.includes(table))
  const hasLists = known.has('resource_tables')
  const lists = hasLists ? await tx.all<OldList>('SELECT name, columns, objects FROM resource_tables') : []
  const tables = [...TABLES, ...GONE, ...lists.map(({ name }) => name)].filter(isOurs)
  await old.setAside(tables, lists)
  await old.createSchema()
  const columns = columnsByTable(await old.columns())
  for (const table of TABLES) {
    const [to, from] = [columns.get(table), columns.get(asideName(table))]
    const hasSameMeaning = !(isLastRelease && table === 'key_use')
    if (to !== undefined && from !== undefined && hasSameMeaning) await tx.run(copyStatement(table, to, from))
  }
  for (const list of lists)
    for (const statement of moveStatements(engine, list, { hasCopies: known.has('frozen') })) await tx.run(statement)
  if (isLastRelease) for (const statement of sinceLastRelease(engine)) await tx.run(statement)
  const now = revisionAt(tx.nowMs)
  await tx.run('UPDATE revisions SET number = CASE WHEN number < ? THEN ? ELSE number + 1 END', now, now)
  await tx.run(FORGET_CHANGES)
  await old.finish(tables)
  const rows = new Map<string, number>()
  for (const table of TABLES) if (columns.has(table)) rows.set(table, Number(await countFrom(tx, quoted(table))))
  return { from: version, rows }
}

export const asideName = (table: string) => `before_${table}`

/** All but `migrations`, whose rows belong to the schema. Workspaces and members come first, because other rows refer to them. */
const TABLES = [
  ...new Set(['workspaces', 'members', ...copiedTables.map(({ name }) => name), ...Object.keys(notCopied)]),
].filter((table) => table !== 'migrations')

/** Tables that are not copied. Those of lists are in `resource_tables`. */
const GONE = [
  ...['migrations', 'resource_tables', 'frozen', 'timezones', 'currency_codes', 'country_codes'],
  ...['key_incidents', 'key_callers', 'workspace_use', 'own_changes', 'own_turns', 'new_rows', 'old_rows'],
]

/** In a database of release 0.2.0, these would be another program's. */
const SINCE_LAST_RELEASE = [
  ...[
    'connection_tokens',
    'declared_resources',
    'list_items',
    'list_traces',
    'passkeys',
    'request_log',
    'stored_lists',
  ],
  ...['notice_deliveries', 'notice_events', 'notice_recipients', 'notice_settings'],
]

function columnsByTable(columns: readonly { table: string; name: string }[]): Map<string, string[]> {
  const grouped = Map.groupBy(columns, ({ table }) => table)
  return new Map([...grouped].map(([table, of]) => [table, of.map(({ name }) => name)]))
}

function copyStatement(table: string, columns: readonly string[], old: readonly string[]): string {
  const oldName = (column: string) => RENAMED[`${table}.${column}`] ?? column
  const common = columns.filter((column) => old.includes(oldName(column)))
  const exists = OF_WORKSPACES.includes(table) ? ' WHERE workspace_id IN (SELECT id FROM workspaces)' : ''
  return `INSERT INTO ${table} (${common.map(quoted)}) SELECT ${common.map(oldName).map(quoted)} FROM ${asideName(table)}${exists}`
}

const RENAMED: Readonly<Record<string, string>> = { 'sources.list': 'table_name' }

/** Rows that a workspace left when it was deleted cannot be copied, and are not reachable. */
const OF_WORKSPACES = [
  'members',
  'sources',
  'notice_settings',
  'notice_events',
  'notice_deliveries',
  'list_items',
  'stored_lists',
]

/** From tables that only release 0.2.0 has. */
const sinceLastRelease = (engine: OldDatabase['engine']): string[] => [
  `INSERT INTO key_use SELECT key_id, day, '', count - refused FROM before_key_use WHERE count > refused`,
  `INSERT INTO key_use SELECT key_id, day, ${REFUSAL}, count FROM before_key_incidents WHERE kind NOT IN ('url', 'browser')`,
  `UPDATE api_keys SET
     last_used_at = (SELECT max(last_at) FROM before_key_use WHERE key_id = api_keys.id AND count > refused),
     (last_refused_at, last_refusal) = (
       SELECT last_at, ${REFUSAL} FROM before_key_incidents
       WHERE key_id = api_keys.id AND kind <> 'url' ORDER BY last_at DESC, kind LIMIT 1),
     (leaked_at, leaked_in) = (
       SELECT last_at, kind FROM before_key_incidents
       WHERE key_id = api_keys.id AND kind IN ('url', 'browser') ORDER BY last_at DESC, kind LIMIT 1)`,
  // Who created the link of a session that reaches one workspace is known from the audit log. Without a creator, it would count as that of
  // a mailed invitation.
  `UPDATE sessions SET link_by = (
     SELECT max(${engine === 'sqlite' ? 'detail' : 'CAST(detail AS json)'} ->> 'createdBy') FROM audit
     WHERE audit.workspace_id = sessions.workspace_id AND audit.at = sessions.started_at
       AND audit.action = 'session.started' AND audit.subject = sessions.email
   ) WHERE workspace_id IS NOT NULL`,
  'DELETE FROM sessions WHERE workspace_id IS NOT NULL AND link_by IS NULL',
  // The rows of an application's own table become those of a source of the same name.
  `UPDATE list_items SET source = substr(source, 5) WHERE source LIKE 'own:%'`,
]

const REFUSAL = `CASE kind WHEN 'unknown' THEN 'damaged' ELSE kind END`
