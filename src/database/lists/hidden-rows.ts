import { type HiddenRows, quoted, type Table } from '../table.ts'
import { MANY_DUE } from './background-updates.ts'
import type { ListDialect } from './dialect.ts'

/**
 * A list may hide each row until an instant in that row has passed, such as the end of a snooze. The passing of time changes no
 * row, so no index would notice. A mark records that the instant has passed, and adds the row to the list's indexes. A read finds
 * rows whose instant has passed but that are not marked yet, and merges them with the others, which is fast while they are few.
 * If there are many, it has them marked in the background.
 *
 * Marks only speed up reads. Every row is still checked by its own instant, so neither a clock that was set back nor a missing or
 * wrong mark can show a hidden row or hide a current one.
 */

/** True for rows that are not hidden, or no longer hidden. */
export const passedSql = ({ instant }: HiddenRows, now: string) => `(${instant} IS NULL OR ${instant} <= ${now})`

/** Conditions, and SQL that reads the rows of a list that hides some of them. */
export function currentSql({ name, listing: { only = [], hidden } }: Table, dialect: ListDialect) {
  const { schema, workspace, now, isMarked, isShown, indexedBy } = dialect
  const listed = [`workspace_id = ${workspace}`, ...only]
  const rows = (index: string, conditions: readonly string[]) =>
    `FROM ${schema}${quoted(name)}${indexedBy(index)} WHERE ${conditions.join(' AND ')}`
  if (hidden === undefined) return { rows, listed, inOrder: listed, ends: [], unmarkedCount: '0' }
  const { instant, mark, index } = hidden
  const byMark = (isSet: boolean) => [...listed, `${instant} IS NOT NULL`, isMarked(mark, isSet)]
  const passed = passedSql(hidden, now)
  // Their instant has passed, and they are not marked yet.
  const unmarked = [...byMark(false), `${instant} <= ${now}`]
  return {
    rows,
    /** Hold for every listed row, whatever its mark. */
    listed: [...listed, passed],
    /** Hold for the rows in the list's indexes. */
    inOrder: [...listed, isShown(hidden), passed],
    unmarked,
    unmarkedRows: rows(index, unmarked),
    /** When the next row appears. One may have been marked too early, because the clock was set back. */
    ends: [false, true].map(
      (isSet) => `(SELECT min(${instant}) ${rows(index, [...byMark(isSet), `${instant} > ${now}`])})`,
    ),
    /** Stops counting as soon as there are many. */
    unmarkedCount: `(SELECT count(*) FROM (SELECT 1 ${rows(index, unmarked)} LIMIT ${MANY_DUE + 1}) AS _seen)`,
  }
}
