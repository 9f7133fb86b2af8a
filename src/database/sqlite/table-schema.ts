import { type Column, literal, quoted, type SchemaObject, type Table, trackedColumns } from '../table.ts'
import { type Rule, rulesOf, sourceRule, workspaceRule } from '../tables/column-rules.ts'
import { schemaOf, sourceIndex, type TableSchema } from '../tables/table-changes.ts'
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
    ...ruleTriggers(table),
    ...builtInTriggers(table),
    sourceIndex(table.name, DIALECT.schema),
    ...listIndexes(table),
    ...searchIndex(table),
  ])

/**
 * Every change of a response moves the revision, no matter who makes it; a mark changes none. Rows that are changed in
 * steps (large-change.ts) are frozen for everyone else, and the steps move no revision.
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

/** Not CHECKs: a row from before a limit can still be marked, or have another choice. */
function ruleTriggers(table: Table): SchemaObject[] {
  const { name } = table
  const onUpdate = (suffix: string, rules: Rule[]) => {
    const checked = [...new Set(rules.map(({ column }) => quoted(column.name)))].join(', ')
    return trigger(`${name}_${suffix}`, `AFTER UPDATE OF ${checked} ON ${quoted(name)} WHEN ${isNew} ${bodyOf(rules)}`)
  }
  const rules = rulesOf(table)
  const choices = rules.filter(({ kind }) => kind === 'choice')
  const limits = rules.filter(({ kind }) => kind !== 'choice')
  const isNew = isNotCopied(table)
  return [
    trigger(
      `${name}_insert_checked`,
      `AFTER INSERT ON ${quoted(name)} WHEN ${isNew} ${bodyOf([...limits, ...choices], table)}`,
    ),
    onUpdate('update_checked', limits),
    ...(choices.length === 0 ? [] : [onUpdate('choice_checked', choices)]),
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
      `AFTER UPDATE OF workspace_id, source ON ${quoted(name)} ${bodyOf([], table)}`,
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

/** A given table adds the rules of its built-in columns. */
const bodyOf = (rules: Rule[], table?: Table) => {
  const cases = rules.map(({ kind, column, message }): [broken: string, message: string] => [
    BROKEN[kind](`NEW.${quoted(column.name)}`, column),
    message + (EXAMPLES[kind] ?? ''),
  ])
  if (table !== undefined) cases.push([NO_WORKSPACE, workspaceRule(table).message], [NO_SOURCE, sourceRule(table)])
  const whens = cases.map(([broken, message]) => `    WHEN ${broken} THEN RAISE(ABORT, ${literal(message)})\n`)
  return `BEGIN\n  SELECT CASE\n${whens.join('')}  END;\nEND`
}

const NO_WORKSPACE = 'NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id)'
/** Copies are as frozen as their rows. */
const ofCopies = (workspaces: string) => workspaces.replaceAll(/\w+\.workspace_id/g, `rtrim($&, '${COPY_SUFFIX}')`)

/** False for rows that a large change copies or restores: they were checked before, perhaps by other rules. */
function isNotCopied(table: Table): string {
  const of = (alias: string) =>
    trackedColumns(table)
      .filter((c) => c !== 'seq' && c !== 'workspace_id')
      .map((c) => `${alias}.${quoted(c)}`)
      .join(', ')
  return `NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = ${literal(table.name)} AND is_writing = 1 AND (workspace_id || '${COPY_SUFFIX}' = NEW.workspace_id
    OR workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM ${quoted(table.name)} AS c WHERE c.seq = NEW.seq - ${SEQ_OFFSET} AND (${of('c')}) IS (${of('NEW')}))))`
}
/** Copied from PostgreSQL, rows of an application's own tables have a source such as own:shop. */
const SOURCE_NAME = "iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source)"
const NO_SOURCE = `length(${SOURCE_NAME}) NOT BETWEEN 1 AND 64 OR ${SOURCE_NAME} NOT GLOB '[a-z0-9]*' OR ${SOURCE_NAME} GLOB '*[^a-z0-9._-]*'
      OR instr(NEW.source, char(0))`

const trigger = (name: string, rest: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} ${rest}`,
})

const EXAMPLES: Partial<Record<Rule['kind'], string>> = {
  instant: ', such as 2026-11-15T09:00:00.000Z',
  date: ', such as 2026-11-15',
}

/** SQLite reads bytes that are not a character as U+FFFD. */
const NO_CHARACTER = "'*' || char(65533) || '*'"

/** Compares with the characters before a NUL, which is as far as GLOB reads. */
const isLonger = (value: string) => `length(CAST(${value} AS BLOB)) <> length(${value})`

/** True if the row breaks the rule. NULL, which a nullable column may hold, breaks no rule. */
const BROKEN: Record<Rule['kind'], (value: string, column: Rule['column']) => string> = {
  'not empty': (value) => `${value} = ''`,
  length: (value, { maxLength }) => `length(${value}) > ${maxLength}`,
  // length() stops at a NUL.
  'without nul': (value) => `length(${value}) <> length(CAST(${value} AS BLOB)) AND instr(${value}, char(0))`,
  // SQLite has no test for UTF-8. This finds ISO 8859-1 letters, halves of surrogate pairs and a cut last character, but
  // not a stray byte from 80 to BF. U+FFFE and U+FFFF are read as U+FFFD too.
  'utf-8': (value) => `(${value} GLOB ${NO_CHARACTER}
        AND replace(replace(replace(${value}, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB ${NO_CHARACTER})
      OR (length(${value}) <> length(CAST(${value} AS BLOB)) AND unicode(substr(${value}, -1)) <> 65533
        AND char(unicode(substr(${value}, -1))) <> substr(${value}, -1))`,
  // Equivalent to isEmail in lib/email.ts: no more than 63 characters between dots.
  email: (value) => `instr(${value}, '@') < 2 OR instr(substr(${value}, instr(${value}, '@') + 1), '@')
      OR ${value} GLOB '.*' OR instr(${value}, '..') OR instr(${value}, '.@')
      OR ${value} GLOB '*@[^a-zA-Z0-9]*' OR substr(${value}, -1) GLOB '[^a-zA-Z0-9]'
      OR (${value} GLOB '*[^a-zA-Z0-9.@]*' AND (${value} GLOB '*@*[^a-zA-Z0-9.-]*' OR ${value} GLOB '*@*.-*' OR ${value} GLOB '*@*-.*'
        OR ${value} GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_\`{|}~.@-]*'))
      OR (length(${value}) > 65 AND ${value} GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*')`,
  // The day and hour must be valid.
  instant: (value) =>
    `${value} NOT GLOB '????-??-??T??:??:??.???Z' OR ${value} < '0001' OR (${value} IS NOT NULL AND julianday(${value}) IS NULL)
      OR ((substr(${value}, 9, 2) > '28' OR substr(${value}, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', ${value}, '+0 days') IS NOT ${value})`,
  url: (value) =>
    `(${value} NOT LIKE 'http://_%' AND ${value} NOT LIKE 'https://_%') OR ${value} GLOB '*[^]a-zA-Z0-9._~:/?#[@!$&''()*+,;=%-]*'`,
  date: (value) =>
    `${value} NOT GLOB '????-??-??' OR ${isLonger(value)} OR ${value} < '0001' OR date(${value}, '+0 days') IS NOT ${value}`,
  // Equivalent to isDecimal in lib/decimal.ts.
  decimal: (value) => `${value} GLOB '*[^0-9.-]*' OR ${isLonger(value)} OR ${value} GLOB '?*-*' OR ${value} GLOB '*.*.*'
      OR ltrim(${value}, '-') NOT GLOB '[0-9]*' OR ${value} NOT GLOB '*[0-9]' OR ltrim(${value}, '-') GLOB '0[0-9]*'
      OR (${value} GLOB '-*' AND ${value} NOT GLOB '*[1-9]*')
      OR (instr(${value}, '.') AND length(${value}) - instr(${value}, '.') > 18) OR length(replace(ltrim(${value}, '-'), '.', '')) > 38`,
  boolean: (value) => `${value} NOT IN (0, 1)`,
  // Only in the form that JSON.stringify writes: responses contain it as it is, and lists are compared as text.
  texts: (value, { maxItems, maxLength }) =>
    `CASE WHEN json_valid(${value}) = 0 OR json_type(${value}) <> 'array' THEN 1 ELSE json_array_length(${value}) > ${maxItems}
      OR EXISTS (SELECT 1 FROM json_each(${value}) WHERE type <> 'text' OR length(value) > ${maxLength} OR instr(value, char(0)))
      OR (SELECT json_group_array(value) FROM json_each(${value})) <> ${value} END`,
  range: (value, { minimum, maximum }) => `${value} NOT BETWEEN ${minimum} AND ${maximum}`,
  choice: (value, { choices }) => `${value} NOT IN (${choices?.map(literal).join(', ')})`,
}
