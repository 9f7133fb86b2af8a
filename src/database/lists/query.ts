import { hash } from 'node:crypto'
import { scaledDecimal } from '../../lib/decimal.ts'
import { foldCase } from '../../lib/fold-case.ts'
import { columnOf, isDecimalKind, quotedColumn } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import { currentSql } from './hidden-rows.ts'
import type { OrderColumn } from './keyset.ts'
import {
  type CountRequest,
  type Filters,
  type ListCounts,
  MAX_COUNTED,
  MAX_GROUPS,
  type Position,
  type QueryableList,
  type Total,
  type WordFilter,
} from './reader.ts'

/**
 * Queries of a list whose result no index has in order: searches, filters, totals, counts by group, and whether anything
 * has changed. Both engines find matching rows in one of two ways:
 *
 *   candidates  rows found by a trigram index, or by id. They are checked one by one and sorted.
 *   a walk      through the list in its order, checking each row. It ends after MAX_COUNTED matches, or after as many
 *               rows as the engine allows.
 *
 * A walk that ends early reports it (`isMinimum`), and its page has a next position even if it is not full.
 */

/** The digest of a longer list is its workspace's revision, so that no digest reads more than the longest page. */
export const MAX_DIGESTED = 100

/** Rows read between two looks at the clock. */
export const PAUSED_ROWS = 32

/** When the next row falls due: SQL for the rows in order, and for those that are not marked yet. */
export function duesSql(list: QueryableList, dialect: ListDialect): string[] {
  if (list.due === undefined) return []
  const { rows, inOrder, unmarkedRows } = currentSql(list.table, dialect)
  const due = quotedColumn(list.due)
  const { index } = list.compileFilters({}, dialect, () => '')
  const isNext = `${due} >= ${dialect.now}`
  return [
    `(SELECT ${due} ${rows(index, [...inOrder, ...dialect.isNotNull(due), isNext])} ORDER BY ${due} LIMIT 1)`,
    ...(unmarkedRows === undefined ? [] : [`(SELECT min(${due}) ${unmarkedRows} AND ${isNext})`]),
  ]
}

export const searchedFields = ({ contains }: Pick<QueryableList, 'contains'>): string[] => [
  ...new Set(Object.values(contains).flat()),
]

export const wordFilters = ({ contains }: Pick<QueryableList, 'contains'>, filters: Filters): WordFilter[] =>
  Object.entries(contains).flatMap(([name, fields]) => {
    const value = filters[name]
    return value === undefined ? [] : { fields, words: [value].flat().map(String) }
  })

type Row = Readonly<Record<string, unknown>>

/** Fields are joined by a line break, which no word has. */
export function testOf(filters: readonly WordFilter[]): (row: Row) => boolean {
  const parts = filters.map(({ fields, words }) => ({ columns: fields.map(columnOf), words }))
  return (row) =>
    parts.every(({ columns, words }) => {
      const text = foldCase(columns.map((column) => row[column] ?? '').join('\n'))
      return words.every((word) => text.includes(word))
    })
}

type SortKey = readonly (string | number | bigint | null)[]

/** Converted once, because sorting compares each position many times. */
const sortKeyOf = (order: readonly OrderColumn[], position: Position): SortKey =>
  order.map(({ kind }, i) => {
    const value = position[i] ?? null
    if (value === null || kind === 'instant') return value
    if (isDecimalKind({ kind })) return scaledDecimal(String(value))
    if (kind !== 'integer') return byCodePoints(String(value))
    return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)
  })

/** Strings are compared by UTF-16 units, which puts some letters before others that both databases put first. */
const byCodePoints = (text: string): string => (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text)
const NOT_ASCII = /[^\0-\x7f]/

/** Nulls come last. */
function compareKeys(a: SortKey, b: SortKey): number {
  for (let i = 0; i < a.length; i++) {
    const left = a[i] ?? null
    const right = b[i] ?? null
    if (left === right) continue
    if (left === null || right === null) return left === null ? 1 : -1
    return left < right ? -1 : 1
  }
  return 0
}

/** Sorting all rows at once would stall other requests. */
const SORTED_AT_ONCE = 1000

export async function sortedByPosition<T extends { position: Position }>(
  order: readonly OrderColumn[],
  rows: readonly T[],
  pause: () => Promise<void>,
): Promise<T[]> {
  let sorted: { one: T; key: SortKey }[] = []
  for (let i = 0; i < rows.length; i += SORTED_AT_ONCE) {
    const next = rows.slice(i, i + SORTED_AT_ONCE).map((one) => ({ one, key: sortKeyOf(order, one.position) }))
    // The sorted part is recognised as such, and is only merged.
    sorted = [...sorted, ...next].sort((a, b) => compareKeys(a.key, b.key))
    await pause()
  }
  return sorted.map(({ one }) => one)
}

export function positionsAfter(
  order: readonly OrderColumn[],
  positions: readonly Position[],
  after: Position,
): Position[] {
  const last = sortKeyOf(order, after)
  return positions.filter((position) => compareKeys(sortKeyOf(order, position), last) > 0)
}

export const totalOf = (matches: number, isAll: boolean): Total => ({
  count: Math.min(matches, MAX_COUNTED),
  isMinimum: !isAll || matches > MAX_COUNTED,
})

/** The workspace's revision changes with every row, and `until` is when time alone changes the list. */
export const revisionDigest = (revision: number | string, until: number): string => `r${revision}.${until}`

/** PostgreSQL computes it itself. */
export const rowsDigest = (rows: readonly string[]): string => hash('sha256', rows.join(','), 'hex')

type Values = readonly (string | number | null | undefined)[]

interface Counts {
  count: number
  overdue: number
}

export function groupsOf({ table: { columns } }: QueryableList, fields: readonly string[], { dateOf }: CountRequest) {
  const groups = new Map<string | null, Counts>()
  const kinds = fields.map((field) => columns[field]?.kind)
  let allOverdue = 0
  const groupIn = (values: Values): string | null => {
    const at = values.findIndex((value) => value !== null && value !== undefined)
    if (at < 0) return null
    const [value, kind] = [String(values[at]), kinds[at]]
    if (kind === 'instant') return dateOf(value)
    // SQLite returns 0 and 1.
    if (kind === 'boolean') return String(value === '1' || value === 'true')
    return kind === 'email' ? value.toLowerCase() : value
  }
  return {
    /** `values` are those of the fields to count by. */
    add(values: Values, isOverdue: boolean, count = 1): void {
      const overdue = isOverdue ? count : 0
      const value = groupIn(values)
      const group = groups.get(value) ?? { count: 0, overdue: 0 }
      groups.set(value, group)
      group.count += count
      group.overdue += overdue
      allOverdue += overdue
    },
    reading(total: Total, until: number): ListCounts {
      const largest = largestOf(groups).map(({ value, counts }) => ({ value, ...counts }))
      return { total, overdue: allOverdue, groups: largest, more: groups.size - largest.length, until }
    },
  }
}

/** Sorting all of them would take long if there are many. */
function largestOf(groups: ReadonlyMap<string | null, Counts>) {
  const largest: { value: string | null; counts: Counts; key: SortKey }[] = []
  for (const [value, counts] of groups) {
    const group = { value, counts, key: [-counts.count, value && byCodePoints(value)] }
    let [from, to] = [0, largest.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compareKeys(largest[middle]?.key ?? [], group.key) < 0) from = middle + 1
      else to = middle
    }
    largest.splice(from, 0, group)
    if (largest.length > MAX_GROUPS) largest.pop()
  }
  return largest
}
