import { importedColumns, literal, quoted, type SchemaObject, type Table } from '../table.ts'
import { type Rule, rulesOf, sourceRule } from '../tables/column-rules.ts'

/** A caller that could set the search path could change what a function does. */
export const FIXED_PATH = 'SET search_path = pg_catalog, vitrine, pg_temp'

/** Triggers reject invalid rows, and a function reports which rule a row breaks. */
export const ruleObjects = (table: Table): SchemaObject[] => [...ruleTriggers(table), faultFunction(table)]

const enforcedRules = (table: Table) => rulesOf(table).filter(({ kind }) => kind in BROKEN)

/** Triggers, not CHECKs: those test the whole row on every update, so a row older than a limit could not even be marked. */
function ruleTriggers(table: Table): SchemaObject[] {
  const rules = enforcedRules(table)
  const choices = rules.filter(({ kind }) => kind === 'choice')
  const limits = rules.filter(({ kind }) => kind !== 'choice')
  return [
    ...checkObjects(table, 'check', 'checked', limits, [['source', NO_SOURCE, sourceRule(table)]]),
    ...(choices.length === 0 ? [] : checkObjects(table, 'check_choices', 'choices_checked', choices)),
  ]
}

const NO_SOURCE = "NEW.source !~ '^(own:)?[a-z0-9][a-z0-9._-]{0,63}$'"

function checkObjects(
  { name }: Table,
  check: string,
  checked: string,
  rules: Rule[],
  builtIn: [column: string, broken: string, message: string][] = [],
): SchemaObject[] {
  const checks = [...rules.map((rule) => [rule.column.name, brokenSql(rule, 'NEW'), rule.message] as const), ...builtIn]
  const columns = [...new Set(checks.map(([column]) => quoted(column)))].join(', ')
  return [
    {
      kind: 'function',
      name: `${name}_${check}`,
      sql: `CREATE OR REPLACE FUNCTION vitrine.${name}_${check}() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS ${dollarQuoted(`
DECLARE
  fault text := ${caseSql(checks.map(([, broken, message]) => [broken, message]))};
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION '%', fault USING ERRCODE = 'check_violation', SCHEMA = 'vitrine', TABLE = '${name}', CONSTRAINT = split_part(fault, ':', 1);
  END IF;
  RETURN NEW;
END `)}`,
    },
    trigger(
      name,
      `${name}_${checked}`,
      `BEFORE INSERT OR UPDATE OF ${columns}`,
      `FOR EACH ROW EXECUTE FUNCTION vitrine.${name}_${check}()`,
    ),
  ]
}

const caseSql = (checks: (readonly [broken: string, message: string])[]): string =>
  `CASE\n${checks.map(([broken, message]) => `    WHEN ${broken} THEN ${literal(message)}\n`).join('')}  END`

/** The values of a choice are part of these bodies, and may contain dollar signs. */
function dollarQuoted(body: string): string {
  let tag = '$$'
  for (let n = 1; body.includes(tag); n++) tag = `$body${n}$`
  return tag + body + tag
}

/** Lets `doctor`, and the views over an application's own tables, validate a row before it is written. */
function faultFunction(table: Table): SchemaObject {
  const { name } = table
  const missing = importedColumns(table)
    .filter(({ isNullable }) => !isNullable)
    .map(
      ({ name: column, field }) =>
        [`shown.${quoted(column)} IS NULL`, `${name}_${column}_not_null: ${field} must not be null`] as const,
    )
  const broken = enforcedRules(table).map((rule) => [brokenSql(rule, 'shown'), rule.message] as const)
  return {
    kind: 'function',
    name: `${name}_fault`,
    sql: `CREATE OR REPLACE FUNCTION vitrine.${name}_fault(shown vitrine.${quoted(name)}) RETURNS text LANGUAGE sql STABLE ${FIXED_PATH} AS ${dollarQuoted(`
  SELECT ${caseSql([...missing, ...broken])}
`)}`,
  }
}

export const trigger = (table: string, name: string, when: string, rest: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} ${when} ON vitrine.${quoted(table)} ${rest}`,
})

const brokenSql = ({ kind, column }: Rule, row: string): string =>
  BROKEN[kind]?.(`${row}.${quoted(column.name)}`, column) ?? 'false'

const ATOM = "[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+"
const LABEL = '[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*'

/**
 * True if the row breaks the rule. NULL in a nullable column breaks no rule. PostgreSQL itself rejects NUL characters, invalid
 * UTF-8 and other values of a boolean.
 */
const BROKEN: Partial<Record<Rule['kind'], (value: string, column: Rule['column']) => string>> = {
  'not empty': (value) => `${value} = ''`,
  length: (value, { maxLength }) => `char_length(${value}) > ${maxLength}`,
  // Equivalent to isEmail in lib/email.ts, but checks label lengths separately, because one pattern would be ten times slower.
  email: (value) => `${value} !~
      '^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$'
      OR (char_length(${value}) > 65 AND split_part(${value}, '@', 2) ~ '[^.]{64}')`,
  instant: (value) => `${value} < '0001-01-01 00:00:00+00' OR ${value} >= '10000-01-01 00:00:00+00'`,
  url: (value) => `${value} !~ '^[hH][tT][tT][pP][sS]?://[][A-Za-z0-9._~:/?#@!$&''()*+,;=%-]+$'`,
  date: (value) => `${value} < '0001-01-01' OR ${value} > '9999-12-31'`,
  decimal: (value) =>
    `${value}::text !~ '^-?[0-9]+([.][0-9]{1,18})?$' OR length(translate(${value}::text, '-.', '')) > 38`,
  texts: (value, { maxLength, maxItems }) =>
    `cardinality(${value}) > ${maxItems} OR array_ndims(${value}) > 1 OR array_position(${value}, NULL) > 0
      OR EXISTS (SELECT FROM unnest(${value}) AS item WHERE char_length(item) > ${maxLength})`,
  range: (value, { minimum, maximum }) => `${value} NOT BETWEEN ${minimum} AND ${maximum}`,
  choice: (value, { choices }) => `${value} NOT IN (${choices?.map(literal).join(', ')})`,
}
