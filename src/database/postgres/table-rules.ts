import {
  importedColumns,
  literal,
  quoted,
  type Rule,
  rulesOf,
  type SchemaObject,
  sourceRule,
  type Table,
} from '../table.ts'

/** A caller who chose the search path would choose what a function does. */
export const FIXED_PATH = 'SET search_path = pg_catalog, vitrine, pg_temp'

/** Triggers refuse a row, and a function names its fault. */
export const ruleObjects = (table: Table): SchemaObject[] => [...ruleTriggers(table), faultFunction(table)]

/** PostgreSQL itself stores no NUL, and nothing that is not UTF-8. */
const enforcedRules = (table: Table) => rulesOf(table).filter(({ kind }) => kind !== 'without nul' && kind !== 'utf-8')

/** Not CHECKs, which judge the whole row at every update: a row from before a limit could not even be marked. */
function ruleTriggers(table: Table): SchemaObject[] {
  const rules = enforcedRules(table)
  const choices = rules.filter(({ kind }) => kind === 'choice')
  const limits = rules.filter(({ kind }) => kind !== 'choice')
  return [
    ...checking(table, 'check', 'checked', limits, [['source', NO_SOURCE, sourceRule(table)]]),
    ...(choices.length === 0 ? [] : checking(table, 'check_choices', 'choices_checked', choices)),
  ]
}

const NO_SOURCE = "NEW.source !~ '^(own:)?[a-z0-9][a-z0-9._-]{0,63}$'"

function checking(
  { name }: Table,
  check: string,
  checked: string,
  rules: Rule[],
  builtIn: [column: string, broken: string, message: string][] = [],
): SchemaObject[] {
  const judgements = [
    ...rules.map((rule) => [rule.column.name, brokenSql(rule, 'NEW'), rule.message] as const),
    ...builtIn,
  ]
  const judged = [...new Set(judgements.map(([column]) => quoted(column)))].join(', ')
  const cases = judgements.map(([, broken, message]) => `    WHEN ${broken} THEN '${message}'\n`)
  return [
    {
      kind: 'function',
      name: `${name}_${check}`,
      sql: `CREATE OR REPLACE FUNCTION vitrine.${name}_${check}() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
DECLARE
  fault text := CASE
${cases.join('')}  END;
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION '%', fault USING ERRCODE = 'check_violation', SCHEMA = 'vitrine', TABLE = '${name}', CONSTRAINT = split_part(fault, ':', 1);
  END IF;
  RETURN NEW;
END $$`,
    },
    trigger(
      name,
      `${name}_${checked}`,
      `BEFORE INSERT OR UPDATE OF ${judged}`,
      `FOR EACH ROW EXECUTE FUNCTION vitrine.${name}_${check}()`,
    ),
  ]
}

/** Lets doctor, and the views of an application's own tables, judge a row before it is written. */
function faultFunction(table: Table): SchemaObject {
  const { name } = table
  const missing = importedColumns(table)
    .filter(({ isNullable }) => !isNullable)
    .map(({ name: column, field }) => [
      `shown.${quoted(column)} IS NULL`,
      `${name}_${column}_not_null: ${field} must not be null`,
    ])
  const broken = enforcedRules(table).map((rule) => [brokenSql(rule, 'shown'), rule.message])
  const cases = [...missing, ...broken].map(([condition, message]) => `    WHEN ${condition} THEN '${message}'\n`)
  return {
    kind: 'function',
    name: `${name}_fault`,
    sql: `CREATE OR REPLACE FUNCTION vitrine.${name}_fault(shown vitrine.${quoted(name)}) RETURNS text LANGUAGE sql STABLE ${FIXED_PATH} AS $$
  SELECT CASE
${cases.join('')}  END
$$`,
  }
}

export const trigger = (table: string, name: string, when: string, rest: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} ${when} ON vitrine.${quoted(table)} ${rest}`,
})

/** True where the row breaks the rule; NULL, which a nullable column may hold, breaks none. */
function brokenSql({ kind, column: { name, maxLength, minimum, maximum, choices } }: Rule, row: string): string {
  const value = `${row}.${quoted(name)}`
  switch (kind) {
    case 'not empty':
      return `${value} = ''`
    case 'length':
      return `char_length(${value}) > ${maxLength}`
    case 'email':
      return notAnEmail(value)
    case 'instant':
      return `${value} < '0001-01-01 00:00:00+00' OR ${value} >= '10000-01-01 00:00:00+00'`
    case 'range':
      return `${value} NOT BETWEEN ${minimum} AND ${maximum}`
    case 'choice':
      return `${value} NOT IN (${choices?.map(literal).join(', ')})`
    case 'without nul':
    case 'utf-8':
      return 'false'
  }
}

const ATOM = "[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+"
const LABEL = '[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*'

/** The same as isEmail of lib/email.ts, but a pattern that counts a label's characters takes ten times as long. */
const notAnEmail = (value: string) => `${value} !~
      '^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$'
      OR (char_length(${value}) > 65 AND split_part(${value}, '@', 2) ~ '[^.]{64}')`
