import { type Columns, isText, type Kind } from '../../lists/column.ts'
import type { Filters } from '../../lists/query.ts'
import { columnOf, type Listing, quoted, quotedColumn, type Table } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import { boundConditions, indexesOf, type OrderColumn, orderOf } from './keyset.ts'
import type { QueryableList } from './reader.ts'
import { wordFilters } from './word-filters.ts'

/**
 * How the filters of a plain list are served. The index behind one filter, and bounds on the order's first column, find rows
 * in order. All other conditions are checked row by row, in a walk that is bounded: see query.ts.
 */
interface Narrowing {
  filter: Condition | undefined
  /** Limits the order's first column. */
  bounds: readonly Condition[]
  checks: readonly Condition[]
  order: readonly OrderColumn[]
}

interface Condition {
  field: string
  kind: Kind
  /** `from` is inclusive and `before` exclusive; neither is fulfilled by null. */
  is: 'equal' | 'from' | 'before'
  value: string | number | boolean
}

const OPERATORS = { equal: '=', from: '>=', before: '<' } as const

const RANGED: readonly Kind[] = ['instant', 'date']

export const rangesOf = (columns: Columns, { order, filters = [] }: Pick<Listing, 'order' | 'filters'>) =>
  [...new Set([...order, ...filters])]
    .filter((field) => RANGED.includes(columns[field]?.kind ?? 'text'))
    .map((field) => ({ field, from: `${field}After`, before: `${field}Before` }))

export function narrowed(table: Table, filters: Filters): Narrowing {
  const conditions = conditionsIn(table, filters)
  const filter = conditions.filter(({ is }) => is === 'equal').sort((a, b) => breadth(a) - breadth(b))[0]
  const order = orderOf(table, filter === undefined ? [] : [filter.field])
  const bounds = conditions.filter(({ is, field }) => is !== 'equal' && quotedColumn(field) === order[0]?.name)
  const checks = conditions.filter((condition) => condition !== filter && !bounds.includes(condition))
  return { filter, bounds, checks, order: bounds.length === 0 ? order : withoutNull(order) }
}

/** Checks for which an index can find candidates: those of one field that has its own index. */
function candidateChecks({ filters = [] }: Listing, { checks }: Narrowing): Condition[] {
  const first = checks.find(({ field }) => filters.includes(field))
  return checks.filter(({ field }) => field === first?.field)
}

function conditionsIn({ columns, listing }: Table, filters: Filters): Condition[] {
  const conditionsOn = (argument: string, field: string, is: Condition['is']): Condition[] => {
    const value = filters[argument]
    const kind = columns[field]?.kind ?? 'text'
    return value === undefined || typeof value === 'object' ? [] : [{ field, kind, is, value }]
  }
  return [
    ...(listing.filters ?? []).flatMap((field) => conditionsOn(field, field, 'equal')),
    ...rangesOf(columns, listing).flatMap(({ field, from, before }) => [
      ...conditionsOn(from, field, 'from'),
      ...conditionsOn(before, field, 'before'),
    ]),
  ]
}

/** Few values are shared by many rows. */
const breadth = ({ kind }: Condition): number => ['choice', 'boolean'].indexOf(kind) + 1

const withoutNull = ([first, ...others]: OrderColumn[]): OrderColumn[] =>
  first === undefined ? [] : [{ ...first, isNullable: false }, ...others]

/** What a filter compares. For addresses, the case of ASCII letters is ignored. */
const keyOf = ({ key, lower }: ListDialect, kind: Kind, value: string) =>
  kind === 'email' ? lower(value) : key(value, kind)

export const comparedSql = ({ columns, listing: { sqlName = quoted } }: Table, field: string, dialect: ListDialect) =>
  keyOf(dialect, columns[field]?.kind ?? 'text', sqlName(columnOf(field)))

/** Rows can be counted by the given fields. For text filters that match nothing, existing values are suggested. */
export function plainList(table: Table, countBy: readonly string[]): QueryableList {
  const { columns, listing, search } = table
  const byName = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, [field]]))
  const suggests = byName((listing.filters ?? []).filter((field) => isText(columns[field] ?? { kind: 'mark' })))
  const indexBy = (field: string | undefined) => indexesOf(table).find(({ by }) => by[0] === field)?.name ?? ''
  const contains = search === undefined ? {} : { query: search.fields }
  return {
    table,
    contains,
    countBy: byName(countBy),
    suggests,
    compileFilters(filters, dialect, bind) {
      const narrowing = narrowed(table, filters)
      const { filter, bounds, checks, order } = narrowing
      const candidates = candidateChecks(listing, narrowing)
      const sqlOf = ({ field, kind, is, value }: Condition) =>
        `${comparedSql(table, field, dialect)} ${OPERATORS[is]} ${keyOf(dialect, kind, bind(value, kind))}`
      const [bound] = bounds
      const columnBounds = bound && {
        column: quotedColumn(bound.field),
        ...Object.fromEntries(bounds.map(({ is, value, kind }) => [is, bind(value, kind)])),
      }
      return {
        order,
        index: indexBy(filter?.field),
        conditions: [
          ...(filter === undefined ? [] : [sqlOf(filter)]),
          ...(bound !== undefined && columns[bound.field]?.isNullable
            ? dialect.isNotNull(quotedColumn(bound.field))
            : []),
        ],
        inRange: (range, [position = '']) => boundConditions(columnBounds, range, position),
        checks: checks.map((check) => ({
          field: check.field,
          sql: sqlOf(check),
          ...(candidates.includes(check) && { index: indexBy(check.field) }),
        })),
        contains: wordFilters({ contains }, filters),
      }
    },
    suggestionSql(filter, dialect, parameter) {
      const value = keyOf(dialect, columns[filter]?.kind ?? 'text', parameter)
      return { column: comparedSql(table, filter, dialect), value, index: indexBy(filter) }
    },
  }
}
