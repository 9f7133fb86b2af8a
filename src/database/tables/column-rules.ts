import { importedColumns, isDecimalKind, isKind, isText, type NamedColumn, type Table } from '../table.ts'

/** A limit that the database enforces, no matter who writes. The message begins with the rule's name. */
export interface Rule {
  kind: keyof typeof RULES
  column: NamedColumn
  message: string
}

/** Enforced by both databases besides the rules of a table's columns; PostgreSQL's foreign key has the same name. */
export const workspaceRule = ({ name }: Pick<Table, 'name'>) => ({
  name: `${name}_workspace_exists`,
  message: `${name}_workspace_exists: workspace_id must be the id of a workspace that exists`,
})

/** Matches isSourceName in import/sources.ts, and the rule of the sources table. */
export const sourceRule = ({ name }: Pick<Table, 'name'>) =>
  `${name}_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it`

const isStoredText = isKind('text', 'email', 'url', 'texts')

/** Which columns have a rule, the rule's name after the column's, and what it requires. */
const RULES = {
  'not empty': [(c) => isText(c) && !c.isNullable, () => 'not_empty', () => 'must not be empty'],
  length: [isText, (c) => `at_most_${c.maxLength}_characters`, (c) => `must be at most ${c.maxLength} characters`],
  'without nul': [isStoredText, () => 'without_nul', () => 'must not hold a NUL character'],
  'utf-8': [isStoredText, () => 'is_utf8', () => 'must be text in UTF-8'],
  email: [isKind('email'), () => 'is_an_address', () => 'must be an email address'],
  url: [isKind('url'), () => 'is_a_url', () => 'must be an absolute URL with http or https, in ASCII'],
  instant: [isKind('instant'), () => 'in_years_1_to_9999', () => 'must be a time in the years 1 to 9999'],
  date: [isKind('date'), () => 'is_a_date', () => 'must be a date in the years 1 to 9999'],
  decimal: [
    isDecimalKind,
    () => 'is_a_decimal',
    () => 'must be a decimal of at most 38 digits, 18 of them after the point',
  ],
  boolean: [isKind('boolean'), () => 'is_boolean', () => 'must be 0 or 1'],
  texts: [
    isKind('texts'),
    () => 'are_texts',
    (c) => `must be a list of at most ${c.maxItems} texts, each of at most ${c.maxLength} characters`,
  ],
  range: [isKind('integer'), () => 'in_range', (c) => `must be from ${c.minimum} to ${c.maximum}`],
  choice: [isKind('choice'), () => 'is_known', (c) => `must be one of ${c.choices?.join(', ')}`],
} satisfies Record<
  string,
  [isRuled: (c: NamedColumn) => boolean, name: (c: NamedColumn) => string, demand: (c: NamedColumn) => string]
>

/** In the order in which they are checked. */
export function rulesOf(table: Table): Rule[] {
  const columns = importedColumns(table)
  return Object.entries(RULES).flatMap(([kind, [isRuled, name, demand]]) =>
    columns.filter(isRuled).map((column) => ({
      kind: kind as Rule['kind'],
      column,
      message: `${table.name}_${column.name}_${name(column)}: ${column.field} ${demand(column)}`,
    })),
  )
}
