/**
 * Lists had a table each, with a column for each field. These statements move such a table's rows to `list_items`. Their `shape` is
 * empty, so `migrate` stores them for the definition: see lists/stored/reshape.ts.
 */
import { quoted } from './statements.ts'

/** A row of `resource_tables`, which described each table. */
export interface OldList {
  name: string
  /** JSON: "kind: definition" by column. */
  columns: string
  /** JSON: kind and name of each object, in the order of creation. */
  objects: string
}

interface OldField {
  name: string
  column: string
  kind: string
}

/** With `hasCopies`, `frozen` names the workspaces whose rows are in copies: see COPY. */
export function moveStatements(
  engine: 'sqlite' | 'postgres',
  { name, columns }: OldList,
  { hasCopies }: { hasCopies: boolean },
): string[] {
  const fields = Object.entries(JSON.parse(columns) as Record<string, string>).flatMap(([column, definition]) => {
    const [kind = ''] = definition.split(':')
    return WITHOUT_FIELD.includes(kind) ? [] : { name: fieldOf(column), column: `t.${quoted(column)}`, kind }
  })
  const frozen = `EXISTS (SELECT 1 FROM before_frozen WHERE workspace_id = w.id AND table_name = '${name}')`
  const shown = hasCopies ? `w.id || iif(${frozen}, '${COPY.suffix}', '')` : 'w.id'
  return [
    `INSERT INTO list_items (workspace_id, list, id, seq, source, revision, body)
     SELECT w.id, '${name}', t.id, CASE WHEN t.seq < 0 THEN t.seq + ${COPY.seqOffset} ELSE t.seq END, t.source, coalesce(r.number, 0),
       ${engine === 'sqlite' ? sqliteBody(fields) : postgresBody(fields)}
     FROM workspaces AS w JOIN ${quoted(`before_${name}`)} AS t ON t.workspace_id = ${shown}
     LEFT JOIN revisions AS r ON r.workspace_id = w.id`,
    `INSERT INTO stored_lists (workspace_id, list, shape, last_seq)
     SELECT workspace_id, list, '', max(seq) FROM list_items WHERE list = '${name}' GROUP BY workspace_id, list`,
  ]
}

/** On SQLite, readers used a copy during a large change, with another workspace id and other seq values. It may have been interrupted. */
const COPY = { suffix: '~', seqOffset: 2n ** 62n }

/** The workspace and the order of creation, the source, and what only sped up reads. */
const WITHOUT_FIELD = ['key', 'source', 'mark']

const fieldOf = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const sqliteBody = (fields: readonly OldField[]) =>
  `json_object(${fields.map((field) => `'${field.name}', ${sqliteValue(field)}`).join(', ')})`

/** SQLite has neither booleans nor lists. */
function sqliteValue({ column, kind }: OldField): string {
  if (kind === 'boolean') return `CASE ${column} WHEN 1 THEN json('true') WHEN 0 THEN json('false') ELSE ${column} END`
  return kind === 'texts' ? `iif(json_valid(${column}), json(${column}), ${column})` : column
}

const postgresBody = (fields: readonly OldField[]) =>
  `(SELECT row_to_json(f)::text FROM (SELECT ${fields.map((field) => `${postgresValue(field)} AS "${field.name}"`).join(', ')}) AS f)`

function postgresValue({ column, kind }: OldField): string {
  if (kind === 'instant') return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return kind === 'decimal' || kind === 'money' ? `${column}::text` : column
}
