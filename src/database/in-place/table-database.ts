/**
 * Databases of applications, whose tables and views are read in place. Vitrine never writes to them, caches nothing of them, and opens few
 * connections. A failure affects only the lists of that database, and the next read tries again.
 */
import type { Kind, Value } from '../../lists/column.ts'
import type { SqlValue } from '../connection.ts'

/** Connections for each database and process. No holder, such as a workspace, takes all of them. */
export const TABLE_READS = { total: 4, each: 3, waiting: 200 }
/** For a connection, a lock, and on PostgreSQL each statement. */
export const TABLE_WAIT_MS = 2000

/** As the engine returns it: PostgreSQL's values are text, as it prints them. */
export type RawValue = string | number | bigint | Uint8Array | readonly unknown[] | null
export type RawRow = Readonly<Record<string, RawValue>>

export type ReadBatches = (sql: string, params: readonly SqlValue[]) => AsyncGenerator<readonly RawRow[]>

/** Throws a StorageError if the database cannot be read. It has neither values nor secrets. */
export interface TableDatabase {
  /** The setting with its address, for messages. */
  setting: string
  /** The name is exact; the first dot separates a schema. Undefined if there is no such table or view. */
  describe(name: string): Promise<Table | undefined>
  rows(holder: string, sql: string, params: readonly SqlValue[]): Promise<readonly RawRow[]>
  /** All statements see the same moment. */
  snapshot<T>(holder: string, read: (batches: ReadBatches) => Promise<T>): Promise<T>
  /** Whether an index has the rows of a statement in their order. */
  sortsByIndex(sql: string, params: readonly SqlValue[]): Promise<boolean>
  /** The n-th parameter of a statement, in the order of the text. */
  placeholder(n: number): string
}

/** A bare name in ORDER BY would be that of a result's column first. */
export const ALIAS = 't'

export interface Table {
  /** Quoted, with its schema and the alias by which its columns are named. */
  from: string
  /** By their exact names. */
  columns: ReadonlyMap<string, TableColumn>
  isView: boolean
  /** Whether the role could change its rows; false for a file, which is opened for reading only. */
  mayWrite: boolean
}

/** What the catalogue says of a column, for a draft of a definition. */
export interface ColumnFacts {
  /** The kind of field that shows it best; undefined if none can. */
  kind: Kind | undefined
  isNullable: boolean
  /** Whether it alone is the primary key. */
  isKey: boolean
  /** Of an enum, or of a text that the table checks. */
  choices?: readonly string[]
  comment?: string
}

export interface TableColumn {
  facts: ColumnFacts
  /** As the database names it. */
  type: string
  /** What is wrong with it for a field of this kind, and how to fix it. */
  problemAs(kind: Kind): string | undefined
  readAs(kind: Kind): ColumnReader
  /** Whether it is exactly a text, which an expression has. An index serves it, with the order of the rows that have it. */
  equals(text: string): string
  /** Whether it may be one of some ids. `ids.parameters` are those of one; none if no row can have it. */
  ids: { mayBeOneOf(placeholders: readonly string[]): string; parameters(id: string): readonly SqlValue[] }
  /** Sorts ids, in the order of keys of this kind. */
  tie: { order: string; kindOf(raw: RawValue): Kind }
}

/** Expressions of the column, and what its values mean. */
export interface ColumnReader {
  select: string
  /** In the order of sort keys, nulls last. */
  order: string
  /** Is compared with `parameter`. */
  compared: string
  parameter(value: string | boolean): SqlValue
  /** True if the instant is later than a number of milliseconds. */
  isAfter(placeholder: string): string
  /** Undefined if the field cannot have it. */
  valueOf(raw: RawValue): Value | undefined
  /** The value that rows are sorted by, if it is not the one that is shown. */
  sortedBy?(raw: RawValue): Value
}

const LITERALS = /'(?:[^']|'')*'/g

/** The texts that a constraint compares with. */
export const literalsIn = (sql: string): string[] =>
  (sql.match(LITERALS) ?? []).map((literal) => literal.slice(1, -1).replaceAll("''", "'"))
