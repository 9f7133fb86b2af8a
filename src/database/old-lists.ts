/**
 * Lists had a table each, with a column for each field. These statements move such a table's rows to `list_items`. Their `shape` is
 * empty, so `migrate` stores them for the definition: see lists/stored/reshape.ts.
 */
import { quoted } from './statements.ts'

/** The migration before which rows are moved. */
export const ONE_TABLE_OF_ROWS = 36

/** A row of `resource_tables`, which described each table. */
export interface OldList {
  name: string
  /** JSON: "kind: definition" by column. */
  columns: string
  /** JSON: kind and name of each object, in the order of creation. */
  objects: string
}

type Dialect = (list: OldList, fields: readonly OldField[]) => { select: string; from: string; drop: string[] }

interface OldField {
  name: string
  column: string
  kind: string
}

/** In order, for one transaction. */
export function moveStatements(engine: 'sqlite' | 'postgres', list: OldList): string[] {
  const { name, columns } = list
  const fields = Object.entries(JSON.parse(columns) as Record<string, string>).flatMap(([column, definition]) => {
    const [kind = ''] = definition.split(':')
    return WITHOUT_FIELD.includes(kind) ? [] : { name: fieldOf(column), column: `t.${quoted(column)}`, kind }
  })
  const { select, from, drop } = (engine === 'sqlite' ? sqlite : postgres)(list, fields)
  const schema = engine === 'sqlite' ? '' : 'vitrine.'
  return [
    `INSERT INTO ${schema}list_items (workspace_id, list, id, seq, source, revision, body)
     SELECT w.id, '${name}', t.id, ${select}
     FROM ${from} LEFT JOIN ${schema}revisions AS r ON r.workspace_id = w.id`,
    `INSERT INTO ${schema}stored_lists (workspace_id, list, shape, last_seq)
     SELECT workspace_id, list, '', max(seq) FROM ${schema}list_items WHERE list = '${name}' GROUP BY workspace_id, list`,
    ...drop,
  ]
}

/** The workspace and the order of creation, the source, and what only sped up reads. */
const WITHOUT_FIELD = ['key', 'source', 'mark']

const fieldOf = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const objectsOf = ({ objects }: OldList) => (JSON.parse(objects) as [kind: string, name: string][]).toReversed()

/** A large change that was interrupted left the rows as they were in a copy: see COPY. */
const sqlite: Dialect = (list, fields) => ({
  select: `iif(t.seq < 0, t.seq + ${COPY.seqOffset}, t.seq), t.source, coalesce(r.number, 0),
     json_object(${fields.map((field) => `'${field.name}', ${sqliteValue(field)}`).join(', ')})`,
  from: `workspaces AS w JOIN ${quoted(list.name)} AS t ON t.workspace_id = w.id || iif(
       EXISTS (SELECT 1 FROM frozen WHERE workspace_id = w.id AND table_name = '${list.name}'), '${COPY.suffix}', '')`,
  drop: [
    ...objectsOf(list).map(([kind, name]) => `DROP ${kind === 'search' ? 'TABLE' : kind} IF EXISTS ${quoted(name)}`),
    `DROP TABLE ${quoted(list.name)}`,
  ],
})

/** Until a large change was done, its readers used a copy with another workspace id and other seq values. */
const COPY = { suffix: '~', seqOffset: 2n ** 62n }

/** SQLite has neither booleans nor lists. */
function sqliteValue({ column, kind }: OldField): string {
  if (kind === 'boolean') return `CASE ${column} WHEN 1 THEN json('true') WHEN 0 THEN json('false') ELSE ${column} END`
  return kind === 'texts' ? `iif(json_valid(${column}), json(${column}), ${column})` : column
}

const postgres: Dialect = (list, fields) => ({
  select: 't.seq, t.source, coalesce(r.number, 0), row_to_json(f)::text',
  from: `vitrine.workspaces AS w JOIN vitrine.${quoted(list.name)} AS t ON t.workspace_id = w.id
     CROSS JOIN LATERAL (SELECT ${fields.map((field) => `${postgresValue(field)} AS "${field.name}"`).join(', ')}) AS f`,
  drop: [
    // With the triggers that call them. Some take a row of the table, so they go first.
    ...objectsOf(list).flatMap(([kind, name]) =>
      kind === 'function' ? `DROP FUNCTION IF EXISTS vitrine.${name} CASCADE` : [],
    ),
    `DROP TABLE vitrine.${quoted(list.name)}`,
  ],
})

function postgresValue({ column, kind }: OldField): string {
  if (kind === 'instant') return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return kind === 'decimal' || kind === 'money' ? `${column}::text` : column
}
