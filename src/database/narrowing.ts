import { type List, type OrderColumn, orderOf } from './keyset.ts'
import type { Filters } from './queries.ts'
import { type Kind, quotedColumn } from './table.ts'

/**
 * How the filters of a plain list are served. The index behind one filter, and a window of the order's first column, find rows
 * in order. All other conditions are checked row by row, in a walk that is bounded: see questions.ts.
 */
export interface Narrowing {
  filter: Condition | undefined
  /** Of the order's first column. */
  bounds: readonly Condition[]
  checks: readonly Condition[]
  order: readonly OrderColumn[]
}

export interface Condition {
  argument: string
  field: string
  kind: Kind
  /** `from` is inclusive and `before` exclusive; neither is fulfilled by null. */
  is: 'equal' | 'from' | 'before'
  value: string | number | boolean
}

export const OPERATORS = { equal: '=', from: '>=', before: '<' } as const

const RANGED: readonly Kind[] = ['instant', 'date']

export const rangesOf = ({ table, order, filters }: Pick<List, 'table' | 'order' | 'filters'>) =>
  [...new Set([...order, ...filters])]
    .filter((field) => RANGED.includes(table.columns[field]?.kind ?? 'text'))
    .map((field) => ({ field, from: `${field}After`, before: `${field}Before` }))

export function narrowed(list: List, filters: Filters): Narrowing {
  const conditions = conditionsIn(list, filters)
  const filter = conditions.filter(({ is }) => is === 'equal').sort((a, b) => breadth(a) - breadth(b))[0]
  const order = orderOf(list, filter?.field)
  const first = list.order.find((field) => field !== filter?.field)
  const bounds = conditions.filter(({ is, field }) => is !== 'equal' && field === first)
  const checks = conditions.filter((condition) => condition !== filter && !bounds.includes(condition))
  return { filter, bounds, checks, order: bounds.length === 0 ? order : withoutNull(order) }
}

/** Checks by which an index can name candidates: those of one field that has an index of its own. */
export function candidateChecks({ filters }: List, { checks }: Narrowing): Condition[] {
  const first = checks.find(({ field }) => filters.includes(field))
  return checks.filter(({ field }) => field === first?.field)
}

function conditionsIn(list: List, filters: Filters): Condition[] {
  const named = (argument: string, field: string, is: Condition['is']): Condition[] => {
    const value = filters[argument]
    const kind = list.table.columns[field]?.kind ?? 'text'
    return value === undefined || typeof value === 'object' ? [] : [{ argument, field, kind, is, value }]
  }
  return [
    ...list.filters.flatMap((field) => named(field, field, 'equal')),
    ...rangesOf(list).flatMap(({ field, from, before }) => [
      ...named(from, field, 'from'),
      ...named(before, field, 'before'),
    ]),
  ]
}

/** Few values are shared by many rows. */
const breadth = ({ kind }: Condition): number => ['choice', 'boolean'].indexOf(kind) + 1

export const windowOf = ([first, ...others]: readonly Condition[], sqlOf: (bound: Condition) => string) =>
  first && {
    column: quotedColumn(first.field),
    ...Object.fromEntries([first, ...others].map((bound) => [bound.is, sqlOf(bound)])),
  }

const withoutNull = ([first, ...others]: OrderColumn[]): OrderColumn[] =>
  first === undefined ? [] : [{ ...first, isNullable: false }, ...others]
