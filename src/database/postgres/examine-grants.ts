import { finding, type HealthFinding } from '../finding.ts'
import { type Privilege, readExpected, sqlFile } from './catalogue.ts'
import type { SessionPool } from './pool/session-pool.ts'

/** A role must have every privilege that a server needs and, unless it owns the tables, none that docs/sql does not grant. */
export async function examineGrants(pool: SessionPool): Promise<HealthFinding> {
  const { objects, needed, settings } = readExpected()
  const stored = objects.filter(({ kind }) => kind === 'table').map(({ name }) => name)
  const names = [...stored, ...objects.filter(({ kind }) => kind === 'function').map(({ name }) => name)]
  const required: Privilege[] = [
    ...stored.map((table): Privilege => ['SELECT', table]),
    ...needed.filter(([, table]) => names.includes(table)),
  ]
  const allowed = [...required, ...settings]
  const { rows } = await pool.query<HeldPrivilege>({ text: sqlFile('held-privileges') })
  const problems = [...Map.groupBy(rows, ({ role }) => role)].flatMap(([role, privileges]) => {
    const lacks = required.filter((privilege) => privileges.some((row) => !row.has && covers(privilege, row)))
    const exceeds = privileges.filter(
      (row) =>
        row.has && !row.owns && names.includes(row.table) && !allowed.some((privilege) => covers(privilege, row)),
    )
    return [
      ...(lacks.length === 0 ? [] : [`${role} lacks ${list(lacks)}`]),
      ...(exceeds.length === 0 ? [] : [`${role} must not have ${list(exceeds.map(privilegeOf))}`]),
    ]
  })
  const hint = "run docs/sql/server-writes.sql as the operator's role, and revoke what docs/sql does not grant"
  const roles = [...new Set(rows.map(({ role }) => role))].join(', ')
  const detail = problems.join('; ') || `${roles}: everything that a server needs`
  return finding('privileges', problems.length === 0, detail, hint)
}

/** Privileges on rows are listed per column, others per table. */
interface HeldPrivilege {
  role: string
  /** The owner may do everything. */
  owns: boolean
  what: string
  table: string
  column: string | null
  has: boolean
}

const covers = ([what, table, column]: Privilege, row: HeldPrivilege): boolean =>
  what === row.what && table === row.table && (column === undefined || column === row.column)

const privilegeOf = ({ what, table, column }: HeldPrivilege): Privilege =>
  column === null ? [what, table] : [what, table, column]

const list = (privileges: Privilege[]): string =>
  privileges
    .map(([what, table, column]) => `${what}${column === undefined ? '' : ` (${column})`} on ${table}`)
    .join(', ')

/** SQL that is true if the current role has the privilege. */
export const hasPrivilege = ([what, table, column]: Privilege): string =>
  what === 'EXECUTE'
    ? `has_function_privilege(to_regproc('vitrine.${table}'), 'EXECUTE')`
    : column === undefined
      ? `has_table_privilege('vitrine.${table}', '${what}')`
      : `has_column_privilege('vitrine.${table}', '${column}', '${what}')`
