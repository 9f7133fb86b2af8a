import { parseJson } from '../lib/json-text.ts'
import { type Column, type Columns, column, isDecimalKind, type Row, type Value } from '../lists/column.ts'

/**
 * The table of a resource, declared once. Everything else is derived from it: both engines' schemas (columns, indexes, revision
 * triggers), the import record, the columns that `copy` copies, the rules that `doctor` checks, and the published fields.
 *
 * Every such table also has `seq`, the order of creation, `workspace_id`, and `source`: the name of the source that the row is
 * synced from, null for any other row. A row is found by its workspace and its `id`.
 */
export interface Table<C extends Columns = Columns> {
  name: string
  /** The name of one row, as in `vitrine <singular> import`. */
  singular: string
  /** Raised with every change of the schema: a program with a lower one refuses the database. Ignored if the table is declared. */
  version: number
  /** Set if an operator declares the table: see `tables/declared-tables.ts`. */
  declaration?: Declaration
  /** By field, in the order of responses. The column's name is the field's in snake case. */
  columns: C
  listing: Listing
  search?: Search
}

/** A definition that the database remembers, so that the next one can be compared with it. */
export interface Declaration {
  file: string
  state: 'draft' | 'published'
  /** Canonical JSON: definitions with the same meaning are the same text. */
  definition: string
  compare(definition: string): DefinitionComparison
  tableOf(definition: string): Table | undefined
}

interface DefinitionComparison {
  /** What this definition would break for clients of the remembered one, and vice versa. */
  breaches: readonly Breach[]
  reverse: readonly Breach[]
  members: readonly string[]
}

/** A change that would break clients: the member, the rule that it breaks, and what to do instead. */
export interface Breach {
  member: string
  rule: string
  fix: string
}

export interface Listing {
  /** Nulls come last, then rows are in the order of creation. */
  order: readonly string[]
  limit: number
  /** The field that describes a row. It may be long, and is shown last. */
  label?: string
  /** Each narrows the list by the argument of its name. */
  filters?: readonly string[]
  /** A condition that is true for every row of the list, on both engines. */
  only?: readonly string[]
  /** Columns that `only` compares, quoted. */
  onlyColumns?: readonly string[]
  hidden?: HiddenRows
  /** Why a row is not listed, such as "completed"; undefined for a current one. Agrees with `only` and `hidden`. */
  reasonNotCurrent?(row: Row, now: string): string | undefined
  /** By default, one in order and one for each filter. */
  indexes?: readonly ListIndex[]
  /** Names in the indexes' statements, which never change; by default they are quoted. */
  sqlName?(name: string): string
}

/** Finds the rows in order that have the same values in some fields. */
export interface ListIndex {
  name: string
  by: readonly string[]
  /** A condition that is true for its rows, besides `only`. */
  where?: readonly string[]
}

/** How rows are hidden until an instant has passed: see lists/hidden-rows.ts. */
export interface HiddenRows {
  /** Columns, as they stand in SQL. */
  instant: string
  mark: string
  /** Whether the instant may be null. */
  isNullable: boolean
  index: string
  onInsert: string
  onUpdate: string
  /** PostgreSQL's triggers run it. */
  markFunction: string
  /** Further columns of the index, before `seq`. */
  included?: readonly string[]
}

/** A trigram index. PostgreSQL has it only if the extension pg_trgm exists or can be created. */
export interface Search {
  fields: readonly string[]
  /** A column, and the value that indexed rows have there. */
  only?: readonly [column: string, value: string]
}

/** `sql` creates it. On PostgreSQL a function is replaced in place, so its statement must contain OR REPLACE. */
export interface SchemaObject {
  /** A search is SQLite's index of texts, which is a table in itself. */
  kind: 'index' | 'function' | 'trigger' | 'constraint' | 'search'
  name: string
  sql: string
  /** Fills a new search. */
  fill?: string
}

/** Helps the database find rows faster. It is neither imported nor copied, and changes no response or revision. */
export const mark = (options: { description: string }) => column('mark', { ...options, published: false })

export const BUILT_IN_COLUMNS = ['seq', 'workspace_id', 'source'] as const

export interface HasTable {
  table?: Table
}

export const tablesOf = (resources: readonly HasTable[]): Table[] => resources.flatMap(({ table }) => table ?? [])

export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A column may have the name of a keyword, such as order or user. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

export const literal = (value: string | number | boolean) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

export const quotedColumn = (field: string) => quoted(columnOf(field))

export interface NamedColumn extends Column {
  field: string
  name: string
}

/** Cached, because every projection of a table needs them. */
const namedColumns = new WeakMap<Columns, readonly NamedColumn[]>()

export function columnsOf({ columns }: Pick<Table, 'columns'>): readonly NamedColumn[] {
  const cached = namedColumns.get(columns)
  if (cached !== undefined) return cached
  const named = Object.entries(columns).map(([field, column]) => ({ ...column, field, name: columnOf(field) }))
  namedColumns.set(columns, named)
  return named
}

/** A stored value as JSON. SQLite has neither booleans nor lists. An invalid value is left for `doctor` to report. */
export function jsonValue({ kind }: Pick<Column, 'kind'>, stored: Value): Value {
  if (kind === 'boolean') return stored === 0 || stored === 1 ? stored === 1 : stored
  const value = kind === 'texts' && typeof stored === 'string' ? parseJson(stored) : undefined
  return value === undefined ? stored : (value as Value)
}

/** SQL that differs whenever the value does: PostgreSQL treats 1.5 and 1.50 as equal. */
export const exactSql = (column: Pick<Column, 'kind'>, value: string): string =>
  isDecimalKind(column) ? `CAST(${value} AS text)` : value

/** The columns whose changes advance the revision: all but the marks. */
export const trackedColumns = (table: Pick<Table, 'columns'>): string[] => [
  ...BUILT_IN_COLUMNS,
  ...importedColumns(table).map(({ name }) => name),
]

export const importedColumns = (table: Pick<Table, 'columns'>) => columnsOf(table).filter(({ kind }) => kind !== 'mark')

export const publishedColumns = (table: Pick<Table, 'columns'>) =>
  columnsOf(table).filter(({ isPublished }) => isPublished)

export const markColumns = (table: Pick<Table, 'columns'>) => columnsOf(table).filter(({ kind }) => kind === 'mark')

/** Whether existing rows can get this column. */
export const canBeAdded = ({ kind, isNullable, default: value }: Column): boolean =>
  isNullable || value !== undefined || kind === 'mark'
