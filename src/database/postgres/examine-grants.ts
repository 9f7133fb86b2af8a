import type { HealthFinding } from '../store.ts'
import { markColumns, quoted, type Table } from '../table.ts'
import type { SessionPool } from './session-pool.ts'

/** The role that docs/sql/roles.sql creates for the server; the one in use here may be another. */
const SERVER_ROLE = 'vitrine_server'

const READ = ['migrations', 'resource_tables', 'workspaces', 'revisions', 'api_keys', 'sources']
const WRITTEN = ['quota_windows', 'key_use', 'key_callers', 'key_incidents']
const EXECUTED = ['day_in_zone(timestamptz, text)', 'left_out(text, text, integer)']

/** What the server needs, as docs/sql/server-writes.sql grants it. */
const needed = (tables: readonly Table[]): Privilege[] => [
  ...[...READ, ...tables.map(({ name }) => name), ...WRITTEN].map((table): Privilege => ['SELECT', table]),
  ...WRITTEN.flatMap((table): Privilege[] => [
    ['INSERT', table],
    ['UPDATE', table],
  ]),
  ...EXECUTED.map((signature): Privilege => ['EXECUTE', signature]),
  ...tables.flatMap((table) => markColumns(table).map(({ name }): Privilege => ['UPDATE', table.name, name])),
]

type Privilege = [what: string, of: string, column?: string]

const privilegeSql = ([what, table, column]: Privilege) =>
  what === 'EXECUTE'
    ? `(has_function_privilege(role, 'vitrine.${table}', '${what}'), '${what} on ${table}')`
    : column === undefined
      ? `(has_table_privilege(role, 'vitrine.${quoted(table)}', '${what}'), '${what} on ${table}')`
      : `(has_column_privilege(role, 'vitrine.${quoted(table)}', '${column}', '${what}'), '${what} (${column}) on ${table}')`

/** For the role in use, and for the documented role of the server if it exists. */
export async function examineGrants(pool: SessionPool, tables: readonly Table[]): Promise<HealthFinding> {
  const values = needed(tables).map(privilegeSql).join(', ')
  const { rows } = await pool.query<{ role: string; lacks: string | null }>(`
    SELECT role, (SELECT string_agg(what, ', ') FROM (VALUES ${values}) AS needed (has, what)
                  WHERE NOT has) AS lacks
    FROM (SELECT rolname AS role FROM pg_roles
          WHERE rolname = current_user
             OR rolname = '${SERVER_ROLE}' AND has_schema_privilege(rolname, 'vitrine', 'USAGE')) AS roles
    ORDER BY role`)
  const lacking = rows.filter(({ lacks }) => lacks !== null)
  const ok = lacking.length === 0
  const roles = rows.map(({ role }) => role).join(', ')
  const faults = lacking.map(({ role, lacks }) => `${role} lacks ${lacks}`).join('; ')
  const check = 'privileges'
  if (ok) return { check, ok, detail: `${roles}: all that a server needs` }
  return { check, ok, detail: faults, hint: "run docs/sql/server-writes.sql as the operator's role" }
}
