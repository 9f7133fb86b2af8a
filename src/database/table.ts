/**
 * The table of a resource, declared once. Both engines make their schema from it (columns, limits, revision triggers), the
 * importer its record, `copy` its list of columns, `doctor` its rules, and the contract its published fields.
 *
 * Every such table also has `seq`, the order of creation, `workspace_id`, and `source`: the name of the source that the row is
 * synced from, null for any other row. A row is found by its workspace and its `id`.
 */
export interface Table<C extends Columns = Columns> {
  name: string
  /** What one row is called: `vitrine <singular> import` brings rows in. */
  singular: string
  /** Raised with every change of the schema: a program that knows a lower one refuses the database. */
  version: number
  /** By field, in the order in which they are answered; the column has the name in snake case. */
  columns: C
  /** Without it all rows are answered, in the order of creation. */
  listing?: Listing
  search?: Search
  /** Indexes, and triggers besides those that every table gets. */
  sqlite: readonly SchemaObject[]
  postgres: readonly SchemaObject[]
}

interface Listing {
  /** Nulls come last, then rows are in the order of creation. */
  order: readonly string[]
  limit: number
  /** The field that says what a row is; it may be long, and is shown last. */
  label?: string
  current?: CurrentRows
}

/** An index of trigrams. PostgreSQL has it only where the extension pg_trgm is there or may be created. */
export interface Search {
  fields: readonly string[]
  /** A column, and the value that indexed rows have there. */
  only?: readonly [column: string, value: string]
}

/** Rows that are answered, where not all of them are. */
export interface CurrentRows {
  /** A condition over the columns, for both engines; each `?` stands for now. */
  sql: string
  /** Why a row is not answered, such as "completed"; undefined for a current one. */
  whyNot(row: Row, now: string): string | undefined
}

/** `sql` creates it. On PostgreSQL a function is replaced in place, so its statement must say OR REPLACE. */
export interface SchemaObject {
  /** A search is SQLite's index of texts, which is a table in itself. */
  kind: 'index' | 'function' | 'trigger' | 'constraint' | 'search'
  name: string
  sql: string
  /** Fills a search that was just created. */
  fill?: string
  /** `always` fires also for rows that logical replication applies, `replica` only for those. */
  enabled?: 'always' | 'replica'
}

export type Kind =
  | 'text'
  | 'email'
  | 'url'
  | 'instant'
  | 'date'
  | 'integer'
  | 'decimal'
  | 'money'
  | 'boolean'
  | 'choice'
  | 'texts'
  | 'mark'

export interface Column<K extends Kind = Kind> {
  kind: K
  isNullable: boolean
  /** Stored and imported, but not answered. */
  isHidden: boolean
  description: string
  /** In characters (code points), for the importer and both databases alike; of texts, the length of each. */
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  choices?: readonly string[]
  /** What is stored if a record leaves the field out; without it a column that is not nullable is required. */
  default?: string | number | boolean
  /** Now is stored if a record, or another program, leaves it out. */
  isCreation?: boolean
  /** Of a mark: what an import on SQLite writes at once, over the staged columns and `:now`, to save a second write. */
  sqliteValue?: string
}

export type Columns = { id: Column<'text'> } & Record<string, Column>

/** A row as it is imported: by field, as JSON values, instants in the one form, what is left out as null. */
export type RowOf<C extends Columns> = {
  [Field in keyof C as C[Field] extends Column<'mark'> ? never : Field]: ValueOf<C[Field]['kind']> | null
}
type ValueOf<K extends Kind> = K extends 'integer'
  ? number
  : K extends 'boolean'
    ? boolean
    : K extends 'texts'
      ? readonly string[]
      : string

export type Value = string | number | boolean | readonly string[] | null
export type Row = Record<string, Value>

interface Options {
  description: string
  nullable?: boolean
  hidden?: boolean
}

const column = <K extends Kind>(kind: K, { description, nullable = false, hidden = false }: Options): Column<K> => ({
  kind,
  isNullable: nullable,
  isHidden: hidden,
  description,
})

const withDefault = <K extends Kind, D extends string | number | boolean>(
  kind: K,
  { default: preset, ...options }: Options & { default?: D },
): Column<K> => ({ ...column(kind, options), ...(preset !== undefined && { default: preset }) })

/** Never empty, unless it is nullable. */
export const text = (options: Options & { maxLength: number; default?: string }): Column<'text'> => ({
  ...withDefault('text', options),
  maxLength: options.maxLength,
})

export const email = (options: Options): Column<'email'> => ({ ...column('email', options), maxLength: 320 })

/** An absolute one, with http or https. */
export const url = (options: Options & { maxLength?: number; default?: string }): Column<'url'> => ({
  ...withDefault('url', options),
  maxLength: options.maxLength ?? 2048,
})

export const instant = (options: Options): Column<'instant'> => column('instant', options)

/** A business date, YYYY-MM-DD. It is never converted between timezones. */
export const date = (options: Options & { default?: string }): Column<'date'> => withDefault('date', options)

/** No further than JavaScript counts exactly. */
export const integer = (
  options: Options & { minimum?: number; maximum?: number; default?: number },
): Column<'integer'> => ({
  ...withDefault('integer', options),
  minimum: options.minimum ?? Number.MIN_SAFE_INTEGER,
  maximum: options.maximum ?? Number.MAX_SAFE_INTEGER,
})

/** Exact, as text: see lib/decimal.ts. */
export const decimal = (options: Options & { default?: string }): Column<'decimal'> => withDefault('decimal', options)

/** A decimal in the workspace's currency. */
export const money = (options: Options & { default?: string }): Column<'money'> => withDefault('money', options)

export const boolean = (options: Options & { default?: boolean }): Column<'boolean'> => withDefault('boolean', options)

/** One of a few words. The first is the default, unless another is given, or null for none. */
export const choice = (
  choices: readonly [string, ...string[]],
  { default: preset = choices[0], ...options }: Options & { default?: string | null },
): Column<'choice'> => ({
  ...column('choice', options),
  choices,
  ...(preset !== null && { default: preset }),
})

/** A list, which can be empty. It cannot be sorted by, filtered or searched. */
export const texts = (options: Options & { maxLength: number; maxItems: number }): Column<'texts'> => ({
  ...column('texts', options),
  maxLength: options.maxLength,
  maxItems: options.maxItems,
})

/** When the row was created: now, if it is left out. A row that is replaced keeps it, unless it is given another. */
export const creation = (options: Omit<Options, 'nullable'>): Column<'instant'> => ({
  ...column('instant', options),
  isCreation: true,
})

/** Helps the database find rows faster. It is neither imported nor copied, and changes no response or revision. */
export const mark = (options: { description: string; sqliteValue?: string }): Column<'mark'> => ({
  ...column('mark', { ...options, hidden: true }),
  ...(options.sqliteValue !== undefined && { sqliteValue: options.sqliteValue }),
})

export const BUILT_IN_COLUMNS = ['seq', 'workspace_id', 'source'] as const

export interface HasTable {
  table?: Table
}

export const tablesOf = (resources: readonly HasTable[]): Table[] => resources.flatMap(({ table }) => table ?? [])

/** dueAt becomes due_at. */
export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A column may have the name of a keyword, such as order or user. */
export const quoted = (name: string) => `"${name}"`

export const literal = (value: string | number | boolean) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** Splits a statement around its parameters; a question mark in a literal is not one. */
const LITERAL_OR_PARAMETER = /'(?:[^']|'')*'|\?/g

export const withParameters = (sql: string, parameter: () => string): string =>
  sql.replace(LITERAL_OR_PARAMETER, (part) => (part === '?' ? parameter() : part))

export const quotedColumn = (field: string) => quoted(columnOf(field))

interface NamedColumn extends Column {
  field: string
  name: string
}

export const columnsOf = ({ columns }: Pick<Table, 'columns'>): NamedColumn[] =>
  Object.entries(columns).map(([field, column]) => ({ ...column, field, name: columnOf(field) }))

/** A stored value as JSON. SQLite has neither booleans nor lists. A value that does not fit is left for `doctor` to find. */
export function jsonValue({ kind }: Pick<Column, 'kind'>, stored: Value): Value {
  if (kind === 'boolean') return stored === 0 || stored === 1 ? stored === 1 : stored
  if (kind !== 'texts' || typeof stored !== 'string') return stored
  try {
    return JSON.parse(stored)
  } catch {
    return stored
  }
}

/** SQL that differs whenever the value does: PostgreSQL takes 1.5 and 1.50 for equal. */
export const exactSql = (column: Pick<Column, 'kind'>, value: string): string =>
  isDecimalKind(column) ? `CAST(${value} AS text)` : value

/** Every column whose change moves the revision: all but the marks. */
export const trackedColumns = (table: Pick<Table, 'columns'>): string[] => [
  ...BUILT_IN_COLUMNS,
  ...importedColumns(table).map(({ name }) => name),
]

export const importedColumns = (table: Pick<Table, 'columns'>) => columnsOf(table).filter(({ kind }) => kind !== 'mark')

export const publishedColumns = (table: Pick<Table, 'columns'>) => columnsOf(table).filter(({ isHidden }) => !isHidden)

export const markColumns = (table: Pick<Table, 'columns'>) => columnsOf(table).filter(({ kind }) => kind === 'mark')

/** Whether rows from before the column can have it. */
export const canBeAdded = ({ kind, isNullable, default: value }: Column): boolean =>
  isNullable || value !== undefined || kind === 'mark'

export const isRequired = ({ isNullable, default: value, isCreation = false }: Column): boolean =>
  !isNullable && value === undefined && !isCreation

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

/** The same as isSourceName of import/sources.ts, and the rule of the table of sources. */
export const sourceRule = ({ name }: Pick<Table, 'name'>) =>
  `${name}_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it`

const isKind =
  (...kinds: Kind[]) =>
  ({ kind }: Pick<Column, 'kind'>) =>
    kinds.includes(kind)
export const isText = isKind('text', 'email', 'url')
export const isDecimalKind = isKind('decimal', 'money')
const isStoredText = isKind('text', 'email', 'url', 'texts')

/** Which columns have a rule, what follows the column in its name, and what it demands. */
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

/** In the order in which they are judged. */
export const rulesOf = (table: Table): Rule[] =>
  Object.entries(RULES).flatMap(([kind, [isRuled, name, demand]]) =>
    importedColumns(table)
      .filter(isRuled)
      .map((column) => ({
        kind: kind as Rule['kind'],
        column,
        message: `${table.name}_${column.name}_${name(column)}: ${column.field} ${demand(column)}`,
      })),
  )
