import { columnOf, type HiddenRows, type Listing, literal, mark, quoted, quotedColumn } from '../database/table.ts'
import type { Columns } from '../lists/column.ts'
import type { Current } from '../lists/current.ts'

/** The field of the mark that a list with hidden rows gets. */
export const HIDING_MARK = 'hidingExpired'

/** The parts of a listing, and the columns with the mark, if there is one. The definition was checked: see declared/check.ts. */
export function currentParts({ name, columns }: { name: string; columns: Columns }, current: Current) {
  const until = Object.keys(current).find((field) => current[field] === 'past')
  const choices = Object.entries(current).flatMap(([field, values]) => (values === 'past' ? [] : [{ field, values }]))
  const only = choices.map(({ field, values }) => onlySql(quotedColumn(field), values))
  const onlyColumns = choices.map(({ field }) => quotedColumn(field))
  const reasonNotCurrent: Listing['reasonNotCurrent'] = (row, now) => {
    for (const { field, values } of choices) {
      const value = row[field] ?? null
      if (!values.some((one) => isSame(one, value)))
        return typeof value === 'string' ? value : `${field} ${value === null ? 'null' : Boolean(value)}`
    }
    const hiddenUntil = until === undefined ? null : row[until]
    return typeof hiddenUntil === 'string' && hiddenUntil > now ? `hidden until ${hiddenUntil}` : undefined
  }
  if (until === undefined) return { only, onlyColumns, reasonNotCurrent, columns }
  const instant = quotedColumn(until)
  const hidden: HiddenRows = {
    instant,
    mark: quoted(columnOf(HIDING_MARK)),
    isNullable: columns[until]?.isNullable === true,
    index: `${name}_hidden`,
    onInsert: `${name}_inserted_hidden`,
    onUpdate: `${name}_hiding_written`,
    markFunction: `${name}_mark_hiding`,
  }
  const seen = mark({ description: `Set once ${until} has passed: see src/database/lists/hidden-rows.ts.` })
  return { only, onlyColumns, hidden, reasonNotCurrent, columns: { ...columns, [HIDING_MARK]: seen } }
}

/** A bare column is a condition on both engines. */
function onlySql(column: string, values: readonly (string | boolean)[]): string {
  const texts = values.filter((value) => typeof value === 'string').map(literal)
  if (texts.length === 1) return `${column} = ${texts[0]}`
  if (texts.length > 1) return `${column} IN (${texts.join(', ')})`
  // Not IS NOT NULL: SQLite drops it from queries for a column that is never null, and then finds no index.
  if (values.length > 1) return `${column} IN (TRUE, FALSE)`
  return values[0] === true ? column : `NOT ${column}`
}

/** SQLite stores booleans as 0 and 1. */
const isSame = (one: string | boolean, value: unknown) =>
  typeof one === 'boolean' ? value !== null && Boolean(value) === one : value === one
