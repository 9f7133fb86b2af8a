import type { Kind } from '../../lists/column.ts'
import type { HiddenRows } from '../table.ts'

/** The parts of a list's SQL that differ between the engines. */
export interface ListDialect {
  /** Prefix of table names. */
  schema: string
  /** Parameters. */
  workspace: string
  now: string
  /** SQL for the key by which a column, or a value of its kind, is compared. */
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
