import { toInstant } from '../../lib/instant.ts'
import { InvalidPositionError, type OrderColumn, type Range } from '../keyset.ts'
import type { Position } from '../queries.ts'
import type { Kind } from '../table.ts'

/** By bytes, as on SQLite. What is null comes last. */
const columnSql = ({ name, kind }: OrderColumn) =>
  kind === 'instant' || kind === 'integer' ? name : `${name} COLLATE "C"`

export const orderSql = (order: readonly OrderColumn[]): string => order.map(columnSql).join(', ')

const typeOf = (kind: Kind) => (kind === 'instant' ? 'timestamptz' : kind === 'integer' ? 'bigint' : 'text')

/** The values of a position as parameters, each bound to its place; what is null is compared with nothing. */
export const positionParameters = (
  order: readonly OrderColumn[],
  after: Position = [],
  bind: (value: string) => string,
): string[] =>
  order.map(({ kind }, at) => {
    const value = after[at] ?? null
    return value === null ? 'NULL' : `${bind(checkedValue(kind, String(value)))}::${typeOf(kind)}`
  })

function checkedValue(kind: Kind, value: string): string {
  if (kind === 'instant' && !isInstant(value)) throw new InvalidPositionError('this is no position of the list')
  return value
}

const isInstant = (text: string) => /^.{19}\.\d{3,6}Z$/.test(text) && toInstant(text) !== undefined

/** They seek in an index that has the order of the list. */
export const rangeConditions = (order: readonly OrderColumn[], range: Range, parameters: readonly string[]): string[] =>
  order.slice(0, range.length).map((column, at) => {
    if (range[at] === 'null') return `${column.name} IS NULL`
    return `${columnSql(column)} ${range[at] === 'equal' ? '=' : '>'} ${parameters[at]}`
  })

/** Of other programs' rows an instant may have microseconds, and a position has them too. */
const MICROSECONDS = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** The position of the row in that place of the rows `from`, as columns of an aggregate over them. */
export const positionSql = (order: readonly OrderColumn[], from: string, isPlace: string): string =>
  order
    .map((column, at) => {
      const name = `${from}.${column.name}`
      const value = column.kind === 'instant' ? `to_char(${name} AT TIME ZONE 'UTC', ${MICROSECONDS})` : `${name}::text`
      return `max(${value}) FILTER (WHERE ${isPlace}) AS _${at}`
    })
    .join(', ')

/** As an instant is answered, unless it is finer than that. */
export const positionIn = (order: readonly OrderColumn[], row: Record<string, unknown>): Position =>
  order.map(({ kind }, at) => {
    const value = row[`_${at}`] as string | null
    return kind === 'instant' ? (value?.replace(/000Z$/, 'Z') ?? null) : value
  })
