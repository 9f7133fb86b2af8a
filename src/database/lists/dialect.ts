import type { HiddenRows, Kind } from '../table.ts'

/** What the engines write differently in the SQL of a list. */
export interface ListDialect {
  /** Prefix of table names. */
  schema: string
  /** Parameters. */
  workspace: string
  now: string
  /** SQL that a column, or a value of its kind, is compared by. */
  key(value: string, kind: Kind): string
  /** Ignores the case of ASCII letters. */
  lower(value: string): string
  isNull(column: string): string
  /** Conditions that let an index skip nulls. */
  isNotNull(column: string): string[]
  isMarked(mark: string, isSet: boolean): string
  /** Holds for every row in the indexes of the list, worded exactly as in the indexes. */
  isShown(hidden: HiddenRows): string
  indexedBy(index: string): string
}
