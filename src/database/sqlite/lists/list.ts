import { type Column, isDecimalKind, type Kind } from '../../../lists/column.ts'
import type { Position } from '../../../lists/query.ts'
import type { ListDialect } from '../../lists/dialect.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import { type Comparison, type OrderColumn, orderedIndexes, type Range } from '../../lists/keyset.ts'
import { comparedSql } from '../../lists/plain-list.ts'
import type { FilteredList, QueryableList } from '../../lists/reader.ts'
import { publishedColumns, quoted, type SchemaObject, type Table } from '../../table.ts'
import { hiddenRowsSchema } from './hidden-rows.ts'

export const SQLITE: ListDialect = {
  schema: '',
  workspace: ':workspace',
  now: ':now',
  key: sortKey,
  lower: (value) => `lower(${value})`,
  // The index of a nullable column seeks by whether it is null first.
  isNull: (column) => `(${column} IS NULL) = 1`,
  isNotNull: (column) => [`(${column} IS NULL) = 0`],
  isMarked: (mark, isSet) => `${mark} = ${Number(isSet)}`,
  // Must match the indexes word for word, or SQLite does not use them. In queries it drops IS NULL for a column that is never null.
  isShown: ({ instant, isNullable, mark }) => (isNullable ? `(${instant} IS NULL OR ${mark} = 1)` : `${mark} = 1`),
  indexedBy: (index) => ` INDEXED BY ${index}`,
}

/** The index without a filter stores whole rows, so that the first page is read from neighbouring pages of the file. */
export const listIndexes = (table: Table): SchemaObject[] => {
  const { onlyColumns = [], hidden } = table.listing
  // Read by queries, so that they find everything in the index.
  const last = [...onlyColumns, ...(hidden === undefined ? [] : [hidden.instant, hidden.mark])]
  return [
    ...orderedIndexes(table, SQLITE, ({ by, where = [] }, order) =>
      by.length + where.length === 0
        ? [orderSql(order), ...last, objectSql(table)]
        : [...by.map((field) => comparedSql(table, field, SQLITE)), orderSql(order), ...last],
    ),
    ...hiddenRowsSchema(table),
  ]
}

/** SQL for the key by which a column, or a value of its kind, is compared and sorted. */
export function sortKey(value: string, kind: Kind): string {
  return isDecimalKind({ kind }) ? decimalKey(value) : value
}

/**
 * SQL for a text that sorts as a stored decimal does by its number. 1.5 and 1.50 have the same key: the sign, the length of the
 * whole part as one letter, and the digits without trailing zeros. A negative one has the complement of each, and an end that
 * sorts after any digit, because -1.51 comes before -1.5.
 */
function decimalKey(value: string): string {
  const digits = `replace(replace(iif(instr(${value}, '.'), rtrim(${value}, '0'), ${value}), '-', ''), '.', '')`
  const length = `instr(${value} || '.', '.')`
  const complement = [...'0123456789'].reduce(
    (sql, digit, i) => `replace(${sql}, '${digit}', '${'jihgfedcba'[i]}')`,
    digits,
  )
  return `iif(substr(${value}, 1, 1) = '-', 'n' || char(122 - ${length}) || ${complement} || '~', 'p' || char(64 + ${length}) || ${digits})`
}

const columnKey = ({ name, kind }: OrderColumn) => sortKey(name, kind)

/** The index has `column IS NULL` before a nullable column, so nulls come last. */
const termsOf = (column: OrderColumn) =>
  column.isNullable ? [`${column.name} IS NULL`, columnKey(column)] : [columnKey(column)]

/** Leaves out terms that are the same in all rows of a range: naming them would keep SQLite from using the index. */
function orderTerms(order: readonly OrderColumn[], range: Range = []): string[] {
  const isGreater = range.at(-1) === 'greater'
  const [first, ...rest] = order.slice(isGreater ? range.length - 1 : range.length)
  if (first === undefined) return ['seq']
  return [...(isGreater ? [columnKey(first)] : termsOf(first)), ...rest.flatMap(termsOf)]
}

const orderSql = (order: readonly OrderColumn[]): string => orderTerms(order).join(', ')

const parameterOf = (at: number) => `after_${at}`

/** These seek in an index that has the order of the list. */
const rangeConditions = (order: readonly OrderColumn[], range: Range): string[] =>
  order.slice(0, range.length).map((column, at) => comparisonSql(column, range[at], `:${parameterOf(at)}`))

function comparisonSql(column: OrderColumn, comparison: Comparison | undefined, parameter: string) {
  const { name, isNullable } = column
  if (comparison === 'null') return `${SQLITE.isNull(name)} AND ${columnKey(column)} IS NULL`
  const condition = `${columnKey(column)} ${comparison === 'equal' ? '=' : '>'} ${sortKey(parameter, column.kind)}`
  return isNullable ? `(${name} IS NULL) = 0 AND ${condition}` : condition
}

export const rangeValues = (range: Range, after: Position = []): Record<string, string> =>
  Object.fromEntries(range.flatMap((is, at) => (is === 'null' ? [] : [[parameterOf(at), String(after[at])]])))

/** Selects rows in order; `isMerged` merges unmarked ones. Checks are left out, because with them one step could skip any number of rows. */
export function selectSql(table: Table, { order, index, ...filtered }: FilteredList, isMerged: boolean) {
  const { rows, inOrder, unmarked, unmarkedRows } = currentSql(table, SQLITE)
  return (columns: string, from: Range, limit: string): string => {
    const range = from.length === 0 ? (filtered.within ?? from) : from
    const conditions = [
      ...filtered.conditions,
      ...filtered.inRange(range, [`:${parameterOf(0)}`]),
      ...rangeConditions(order, range),
    ]
    const source = rows(index, [...inOrder, ...conditions])
    const terms = orderTerms(order, range)
    if (!isMerged || unmarked === undefined) return `SELECT ${columns} ${source} ORDER BY ${terms.join(', ')} ${limit}`
    const keys = ['seq AS _chosen', ...terms.map((term, i) => `${term} AS _key${i}`)].join(', ')
    return `
    SELECT ${columns} FROM (
      SELECT ${keys} ${source}
      UNION ALL
      SELECT ${keys} ${[unmarkedRows, ...conditions].join(' AND ')}
      ORDER BY ${terms.map((_, i) => `_key${i}`).join(', ')} ${limit}) CROSS JOIN ${quoted(table.name)} ON seq = _chosen`
  }
}

/** The limit is part of the text: SQLite is a third slower if it is a parameter. Exported for tests of its plans. */
export function firstRowsSql(list: QueryableList, isMerged: boolean): string {
  const rows = list.compileFilters({}, SQLITE, () => '')
  const { table } = list
  return selectSql(table, rows, isMerged)(`${objectSql(table)} AS _object`, [], `LIMIT ${table.listing.limit}`)
}

/** Numbers are read as text, because those beyond 2^53 cannot be read otherwise. */
export const positionSql = (order: readonly OrderColumn[]): string =>
  order
    .map(({ name, kind }, at) => {
      const isNumber = kind === 'integer' || kind === 'boolean'
      return `${isNumber ? `CAST(${name} AS TEXT)` : name} AS _${at}`
    })
    .join(', ')

/** json_object marks its result as JSON; without the CAST, an index that holds it would not be used. */
export const objectSql = (
  table: Pick<Table, 'columns'>,
  fields?: readonly string[],
  maxText = Number.POSITIVE_INFINITY,
) =>
  `CAST(json_object(${publishedColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map((column) => `'${column.field}', ${jsonSql(column, maxText)}`)
    .join(', ')}) AS TEXT)`

function jsonSql({ name, kind, maxLength = 0 }: Column & { name: string }, maxText: number): string {
  const column = quoted(name)
  if (kind === 'boolean') return `json(CASE ${column} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END)`
  // The index stores it, so an invalid JSON list must not fail here; doctor reports it.
  if (kind === 'texts') return `json(iif(json_valid(${column}), ${column}, NULL))`
  return maxLength > maxText ? `substr(${column}, 1, ${maxText})` : column
}
