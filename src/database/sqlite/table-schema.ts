import type { Column } from '../../lists/column.ts'
import { literal, quoted, type SchemaObject, type Table, trackedColumns } from '../table.ts'
import { schemaOf, sourceIndex, type TableSchema, workspaceRule } from '../tables/table-changes.ts'
import { COPY_SUFFIX, LARGE_ROWS, SEQ_OFFSET } from './frozen.ts'
import { listIndexes } from './lists/list.ts'
import { searchIndex } from './lists/search-index.ts'

const DIALECT = {
  schema: '',
  typeOf: ({ kind }: Pick<Column, 'kind'>) => (kind === 'integer' || kind === 'boolean' ? 'INTEGER' : 'TEXT'),
  seq: 'INTEGER PRIMARY KEY',
  now: "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
  markSql: (name: string) => `INTEGER NOT NULL DEFAULT 0 CHECK (${quoted(name)} IN (0, 1))`,
  options: ' STRICT',
  drop: dropSql,
}

export function dropSql({ kind, name }: { kind: string; name: string }): string {
  return `DROP ${kind === 'search' ? 'TABLE' : kind} IF EXISTS ${quoted(name)}`
}

/** Each start compares the schema three times, for up to fifty tables. */
const schemas = new WeakMap<Table, TableSchema>()

export function tableSchema(table: Table): TableSchema {
  const schema = schemas.get(table) ?? createSchema(table)
  schemas.set(table, schema)
  return schema
}

const createSchema = (table: Table): TableSchema =>
  schemaOf(table, DIALECT, [
    ...revisionTriggers(table),
    ...builtInTriggers(table),
    sourceIndex(table.name, DIALECT.schema),
    ...listIndexes(table),
    ...searchIndex(table),
  ])

/**
 * Every change of a response moves the revision; a mark changes none. Rows that are changed in steps (large-change.ts) are
 * frozen for everyone else, and the steps move no revision.
 */
function revisionTriggers(table: Table): SchemaObject[] {
  const { name } = table
  const frozen = `FROM frozen WHERE table_name = ${literal(name)} AND workspace_id`
  const move = (workspaces: string) => `BEGIN
  SELECT RAISE(ABORT, ${literal(frozenRule(table))}) ${frozen} ${ofCopies(workspaces)} AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id ${workspaces} AND NOT EXISTS (SELECT 1 ${frozen} = revisions.workspace_id);
END`
  return [
    trigger(`${name}_inserted`, `AFTER INSERT ON ${quoted(name)} ${move('= NEW.workspace_id')}`),
    trigger(
      `${name}_updated`,
      `AFTER UPDATE OF ${trackedColumns(table).map(quoted).join(', ')} ON ${quoted(name)} ${move('IN (OLD.workspace_id, NEW.workspace_id)')}`,
    ),
    trigger(`${name}_deleted`, `AFTER DELETE ON ${quoted(name)} ${move('= OLD.workspace_id')}`),
  ]
}

/**
 * Like a foreign key with ON DELETE CASCADE, which SQLite enforces only on connections that ask for it. Deleting too
 * many rows for one transaction is left to `tidy`.
 */
function builtInTriggers(table: Table): SchemaObject[] {
  const { name } = table
  return [
    // SQLite uses the seq after the last one, which belongs to a copy if no other rows are left.
    trigger(
      `${name}_placed`,
      `AFTER INSERT ON ${quoted(name)} WHEN NEW.seq < 0 AND NEW.workspace_id NOT GLOB '*${COPY_SUFFIX}' BEGIN\n  UPDATE ${quoted(name)} SET seq = seq + ${SEQ_OFFSET} WHERE seq = NEW.seq;\nEND`,
    ),
    trigger(
      `${name}_workspace_checked`,
      `BEFORE INSERT ON ${quoted(name)} WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = ${ofCopies('NEW.workspace_id')}) BEGIN\n  SELECT RAISE(ABORT, '${workspaceRule(table)}: workspace_id must be the id of a workspace that exists');\nEND`,
    ),
    trigger(
      `${name}_workspace_deleted`,
      `AFTER DELETE ON workspaces WHEN ${isSmall(name)} BEGIN\n  DELETE FROM ${quoted(name)} WHERE workspace_id = OLD.id;\nEND`,
    ),
  ]
}

/** The rows can be deleted in one transaction. */
const isSmall = (table: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${quoted(table)} WHERE workspace_id = OLD.id LIMIT ${LARGE_ROWS + 1})) <= ${LARGE_ROWS}`

const frozenRule = ({ name }: Table) =>
  `${name}_frozen: a large import or sync of these ${name} is being stored, or was interrupted; try again when it is done, or run vitrine migrate`

/** Copies are as frozen as their rows. */
const ofCopies = (workspaces: string) => workspaces.replaceAll(/\w+\.workspace_id/g, `rtrim($&, '${COPY_SUFFIX}')`)

const trigger = (name: string, rest: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} ${rest}`,
})
