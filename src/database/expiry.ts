import type { BackgroundUpdates, UpdateSome } from './background-updates.ts'
import { type Expiry, type Kind, quoted, type Table } from './table.ts'

/**
 * A list may hide each row until an instant in that row has passed, such as the end of a snooze. The passing of time changes no
 * row, so no index would notice. A mark records that the instant has passed, and adds the row to the list's indexes. A read finds
 * rows whose instant has passed but that are not marked yet, and merges them with the others, which is fast while they are few.
 * If there are many, it has them marked in the background.
 *
 * Marks only speed up reads. Every row is still checked by its own instant, so neither a clock that was set back nor a missing or
 * wrong mark can show a hidden row or hide a current one.
 */

export const MANY_UNMARKED = 100

export type MarkIfMany = (unmarked: number, workspaceId: string, now: number) => void

/** A list that hides no rows has no update that marks them. */
export const createMarkIfMany =
  (update: UpdateSome | undefined, background: Pick<BackgroundUpdates, 'request'>): MarkIfMany =>
  (unmarked, workspaceId, now) => {
    if (update !== undefined && unmarked > MANY_UNMARKED) background.request(update, workspaceId, now)
  }

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
  isUnhidden(expiry: Expiry): string
  indexedBy(index: string): string
}

/** Conditions, and SQL that reads the rows of a list that hides some of them. */
export function currentSql({ name, listing: { only = [], expiry } }: Table, dialect: ListDialect) {
  const { schema, workspace, now, isMarked, isUnhidden, indexedBy } = dialect
  const listed = [`workspace_id = ${workspace}`, ...only]
  const rows = (index: string, conditions: readonly string[]) =>
    `FROM ${schema}${quoted(name)}${indexedBy(index)} WHERE ${conditions.join(' AND ')}`
  if (expiry === undefined) return { rows, listed, inOrder: listed, ends: [], unmarkedCount: '0' }
  const { instant, mark, index } = expiry
  const hidden = (isSet: boolean) => [...listed, `${instant} IS NOT NULL`, isMarked(mark, isSet)]
  const passed = `(${instant} IS NULL OR ${instant} <= ${now})`
  // Their instant has passed, and they are not marked yet.
  const unmarked = [...hidden(false), `${instant} <= ${now}`]
  return {
    rows,
    /** Hold for every listed row, whatever its mark. */
    listed: [...listed, passed],
    /** Hold for the rows in the list's indexes. */
    inOrder: [...listed, isUnhidden(expiry), passed],
    unmarked,
    unmarkedRows: rows(index, unmarked),
    /** When the next row appears. One may have been marked too early, because the clock was set back. */
    ends: [false, true].map(
      (isSet) => `(SELECT min(${instant}) ${rows(index, [...hidden(isSet), `${instant} > ${now}`])})`,
    ),
    /** Stops counting as soon as there are many. */
    unmarkedCount: `(SELECT count(*) FROM (SELECT 1 ${rows(index, unmarked)} LIMIT ${MANY_UNMARKED + 1}) AS _seen)`,
  }
}
