import { InvalidValueError, UserError } from '../../../lib/user-error.ts'
import { quoted, type Table } from '../../table.ts'
import { type ColumnExpression, KEY_TYPES, literalSql, type MappedField, mapFields } from './columns.ts'
import { type ApplicationColumn, type ApplicationTable, nearestTo } from './table.ts'

/** PostgreSQL truncates longer names; the longest here is that of a trigger. */
const MAX_NAME_BYTES = 63

interface ApplicationTableOptions {
  source: string
  /** A column of the application's table; its primary key if left out. */
  key?: string | undefined
  /** Precedes the key in the ids that clients see. */
  prefix?: string | undefined
  /** The id of the workspace that all rows belong to, or the column that has it. */
  workspace: { id: string } | { column: string | undefined }
  /** Applies to timestamps without a time zone. */
  zone: string
}

/** Lets the operator's role read the table and create triggers on it; for its owner to run. */
export const grantsSql = ({ schema, name, role }: ApplicationTable): string =>
  `GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${quoted(role)};
GRANT SELECT, TRIGGER ON ${quoted(schema)}.${quoted(name)} TO ${quoted(role)};`

/** A script that shows an application's table as a resource, and the fields that are left for the operator to map. */
export function applicationTableSql(table: Table, origin: ApplicationTable, options: ApplicationTableOptions) {
  const { source, prefix } = options
  const [target, view] = [`${quoted(origin.schema)}.${quoted(origin.name)}`, `${table.name}_from_${source}`]
  checkName(`${view}_truncate`, '--source')
  const key = keyOf(origin, options.key)
  const triggers = triggersOn(target, view, [
    table.name,
    source,
    key.name,
    ...(prefix === undefined ? [] : [keyColumn(prefix)]),
  ])
  const fields = mapFields(table, origin.columns, options.zone)
  const sql = `${comment(`Shows ${target} as ${table.name}, with the source ${source}. Review it and run it with psql as the role ${origin.role},`)}
${comment(`again after every change. The table's owner, ${origin.owner}, must have run this first:`)}
${commentOut(grantsSql(origin))}
BEGIN ISOLATION LEVEL READ COMMITTED;

-- The triggers make the application's writes wait until COMMIT, so that none is lost before the first copy. If they cannot lock the table
-- in time, nothing is changed: run this again.
SET LOCAL lock_timeout = '300ms';
${triggers.map(({ sql }) => `${sql};`).join('\n')}

-- The view defines what is shown; a WHERE leaves rows out.
DROP VIEW IF EXISTS vitrine.${quoted(view)};
CREATE VIEW vitrine.${quoted(view)} AS
SELECT ${selectList([...idColumns(key, prefix), workspaceColumn(origin, options), ...fields])}
FROM ${target} AS t;

-- Shows the existing rows.
SELECT vitrine.show_all(${literalSql(source)});
COMMIT;

${comment(`To undo this, run as ${origin.role}:`)}
${commentOut(`DROP VIEW vitrine.${quoted(view)};
DELETE FROM vitrine.${quoted(table.name)} WHERE source = ${literalSql(`own:${source}`)};`)}
${comment(`and then as ${origin.owner}:`)}
${commentOut(`${triggers.map(({ name }) => `DROP TRIGGER ${quoted(name)} ON ${target};`).join('\n')}
REVOKE SELECT, TRIGGER ON ${target} FROM ${quoted(origin.role)};`)}
`
  return { sql, unmapped: fields.flatMap(({ field, expression }) => (expression === undefined ? field : [])) }
}

function checkName(name: string, option: string): void {
  const excess = Buffer.byteLength(name) - MAX_NAME_BYTES
  if (excess > 0) throw new InvalidValueError(`${option}: must be ${excess} bytes shorter`)
}

function columnNamed({ columns }: ApplicationTable, name: string, option: string): ApplicationColumn {
  const column = columns.find((each) => each.name === name)
  if (column !== undefined) return column
  const names = columns.map((each) => each.name)
  throw new InvalidValueError(`${option}: the table has no column ${name}${nearestTo(name, names)}`)
}

function keyOf(origin: ApplicationTable, name: string | undefined): ApplicationColumn {
  const key =
    name === undefined ? origin.columns.find(({ isPrimaryKey }) => isPrimaryKey) : columnNamed(origin, name, '--key')
  if (key === undefined)
    throw new UserError('the table has no primary key of a single column; name a unique column with --key')
  if (!key.isUnique) throw new UserError(`${key.name} cannot be the key: it must be unique by an index, and NOT NULL`)
  if (!KEY_TYPES.includes(key.base))
    throw new UserError(`${key.name} cannot be the key: it is ${key.type}, and must be an integer, a uuid or text`)
  return key
}

/** The view's column with the key, from which the database reads the prefix. */
function keyColumn(prefix: string): string {
  checkName(`id:${prefix}`, '--prefix')
  return `id:${prefix}`
}

function idColumns({ name }: ApplicationColumn, prefix: string | undefined): ViewColumn[] {
  const key = `t.${quoted(name)}`
  if (prefix === undefined) return [{ name: 'id', expression: key }]
  return [
    { name: 'id', expression: `${literalSql(prefix)} || ${key}` },
    { name: keyColumn(prefix), expression: key, note: 'finds the rows of changed keys by their index' },
  ]
}

function workspaceColumn(origin: ApplicationTable, { workspace }: ApplicationTableOptions): ViewColumn {
  const name = 'workspace_id'
  if ('id' in workspace) return { name, expression: `${literalSql(workspace.id)}::text` }
  const column = workspace.column ?? origin.columns.find((each) => /^workspace_?id$/i.test(each.name))?.name
  if (column === undefined)
    throw new UserError(
      'cannot tell which workspace a row belongs to: name a workspace with --workspace, or the column with its id with --workspace-column',
    )
  const existing = columnNamed(origin, column, '--workspace-column')
  return {
    name,
    expression: `t.${quoted(existing.name)}`,
    note: 'the application decides which workspace a row belongs to',
  }
}

function triggersOn(target: string, view: string, args: readonly string[]) {
  const follow = `FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow(${args.map(literalSql).join(', ')})`
  const transitions = {
    insert: 'REFERENCING NEW TABLE AS new_rows ',
    update: 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ',
    delete: 'REFERENCING OLD TABLE AS old_rows ',
    truncate: '',
  }
  return Object.entries(transitions).map(([event, transition]) => {
    const name = `${view}_${event}`
    return {
      name,
      sql: `CREATE OR REPLACE TRIGGER ${quoted(name)} AFTER ${event.toUpperCase()} ON ${target}\n  ${transition}${follow}`,
    }
  })
}

type ViewColumn = ColumnExpression & { name: string }

/** The columns of a view, then comments with what is left to do. */
function selectList(columns: readonly (ViewColumn | MappedField)[]): string {
  const mapped = columns.filter(({ expression }) => expression !== undefined)
  const lines = mapped.map(({ name, expression, note }, i) => {
    const end = i < mapped.length - 1 ? ',' : ''
    return `${expression} AS ${quoted(name)}${end}${note === undefined ? '' : ` ${comment(note)}`}`
  })
  const todo = columns.flatMap((column) =>
    'kind' in column && column.expression === undefined
      ? comment(`TODO ${quoted(column.name)} (${column.kind}): ${column.note}`)
      : [],
  )
  return [...lines, ...todo].join('\n       ')
}

/** A name in the database may have line breaks, which would end the comment. */
const comment = (text: string): string => `-- ${text.replaceAll(/\p{Cc}+/gu, ' ')}`

/** For statements that a person may copy: names stay unchanged, and each of their lines is commented. */
const commentOut = (sql: string): string =>
  sql
    .split(/\r\n|\r|\n/)
    .map((line) => `--   ${line}`)
    .join('\n')
