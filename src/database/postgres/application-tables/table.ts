import { nearest } from '../../../lib/nearest.ts'
import { InvalidValueError, UserError } from '../../../lib/user-error.ts'
import type { SqlConnection } from '../../store.ts'
import { sqlFile } from '../sql-file.ts'

/** A table of an application in the same database, as PostgreSQL's catalogue describes it. */
export interface ApplicationTable {
  schema: string
  name: string
  owner: string
  /** The role of DATABASE_URL, which is to read the table. */
  role: string
  /** Whether that role may read the table and create triggers on it. */
  isGranted: boolean
  columns: readonly ApplicationColumn[]
}

export interface ApplicationColumn {
  name: string
  /** As in a definition, such as `character varying(20)`. */
  type: string
  /** The name of the type under a domain, such as `varchar`; of an array, the name of its items' type and `[]`. */
  base: string
  labels: string[] | null
  isPrimaryKey: boolean
  /** Whether it is unique and never null, so that it can be a key. */
  isUnique: boolean
}

/** Parts with dots or spaces are in double quotes, as in SQL. Case matters in either form. */
export function parseTableName(text: string): { schema: string; name: string } {
  const part = '(?:"((?:[^"]|"")+)"|([^".]+))'
  const [, quotedSchema, schema, quotedName, name] = new RegExp(`^${part}\\.${part}$`).exec(text) ?? []
  const [first, second] = [quotedSchema?.replaceAll('""', '"') ?? schema, quotedName?.replaceAll('""', '"') ?? name]
  if (first === undefined || second === undefined)
    throw new InvalidValueError('--table: must be SCHEMA.TABLE, such as public.orders')
  return { schema: first, name: second }
}

/** Refuses a source that already shows another table as this resource, because its view would be replaced. */
export async function readApplicationTable(
  tx: SqlConnection,
  text: string,
  { resource, source }: { resource: string; source: string },
): Promise<ApplicationTable> {
  const { schema, name } = parseTableName(text)
  const [relation] = await tx.all<Relation>(sqlFile('application-relation'), schema, name)
  if (relation === undefined) throw new UserError(`there is no table ${text}${nearestTo(text, await tableNames(tx))}`)
  if (relation.kind !== 'r' && relation.kind !== 'p')
    throw new UserError(`${text} is not a table; name the table that it reads, and edit the printed view`)
  const [other] = await tx.all<{ name: string }>(OTHER, resource, source, relation.oid)
  if (other !== undefined)
    throw new UserError(`the source ${source} already shows ${other.name} as ${resource}; choose another --source`)
  const columns = await tx.all<ApplicationColumn>(sqlFile('application-columns'), relation.oid)
  const { owner, role, isGranted } = relation
  return { schema, name, owner, role, isGranted, columns }
}

/** If a resource's table were dropped, every write to an application's own table that is shown as this resource would fail. */
export async function checkNotShown(tx: SqlConnection, resource: string): Promise<void> {
  const followed = await tx.all<{ table: string }>(
    `SELECT DISTINCT tgrelid::regclass::text AS "table" FROM pg_trigger
     WHERE tgfoid = 'vitrine.follow'::regproc AND split_part(encode(tgargs, 'escape'), '\\000', 1) = ?`,
    resource,
  )
  if (followed.length > 0)
    throw new UserError(
      `${followed.map(({ table }) => table).join(', ')} is still shown as ${resource}; undo it first, as described at the end of the SQL from 'vitrine resource sql'`,
    )
}

/** For the end of a message about an unknown name. */
export function nearestTo(asked: string, names: Iterable<string>): string {
  const [first, ...others] = nearest(asked, names).slice(0, 3)
  if (first === undefined) return ''
  return others.length === 0 ? `; did you mean ${first}?` : `; the nearest are ${[first, ...others].join(', ')}`
}

type Relation = Pick<ApplicationTable, 'owner' | 'role' | 'isGranted'> & { oid: string; kind: string }

const OTHER = 'SELECT followed::text AS name FROM vitrine.own_keys(?, ?) WHERE followed <> ?::oid ORDER BY 1'

async function tableNames(tx: SqlConnection): Promise<string[]> {
  const rows = await tx.all<{ name: string }>(`
    SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND nspname NOT IN ('vitrine', 'information_schema') AND nspname NOT LIKE 'pg\\_%'`)
  return rows.map(({ name }) => name)
}
