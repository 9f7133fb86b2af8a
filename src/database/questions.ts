import { hash } from 'node:crypto'
import { compareDecimals } from '../lib/decimal.ts'
import { foldCase } from '../lib/fold-case.ts'
import type { List, OrderColumn } from './keyset.ts'
import {
  type CountReading,
  type CountRequest,
  type Filters,
  MAX_COUNTED,
  MAX_GROUPS,
  type PageRequest,
  type Position,
  type Total,
} from './queries.ts'
import { type Columns, columnOf, isDecimalKind, isText, type Kind } from './table.ts'

/**
 * Questions about a list: searches and filters that no index keeps in order, totals, counts by group, and whether anything
 * has changed. Both engines find matching rows in one of two ways:
 *
 *   candidates  rows that an index of trigrams, or of ids, names. They are checked one by one and sorted.
 *   a walk      through the list in its order, checking each row. It ends after MAX_COUNTED matches, or after as many
 *               rows as the engine allows.
 *
 * A walk that ends early reports so (`isMinimum`), and its page has a next position even if it is not full.
 */

/** The digest of a longer list is its workspace's revision, so that no digest reads more than the longest page. */
export const MAX_DIGESTED = 100

export interface QuestionShape {
  table: { name: string; columns: Columns }
  /** By filter: the fields that each of its words must be found in, one or another. */
  contains: Readonly<Record<string, readonly string[]>>
  /** By name: a row is counted under the first of these fields that has a value, an instant under its local date. */
  countBy: Readonly<Record<string, readonly string[]>>
  /** By filter: the fields whose values are suggested if it matches nothing. */
  suggests: Readonly<Record<string, readonly string[]>>
  /** The field by which rows are overdue. */
  due?: string
}

/** A plain list is counted by its `countBy`, and suggests values of the texts that it is filtered by. */
export const questionsOf = ({ table, filters, search = [], countBy = [] }: List): QuestionShape => ({
  table,
  contains: search.length === 0 ? {} : { query: search },
  countBy: Object.fromEntries(countBy.map((field) => [field, [field]])),
  suggests: Object.fromEntries(
    filters.filter((field) => isText(table.columns[field] ?? { kind: 'mark' })).map((field) => [field, [field]]),
  ),
})

/** Whether a page needs more than the indexes in order, which serve the filters that are `indexed`. */
export const isQuestion = (indexed: readonly string[], page: PageRequest): boolean =>
  page.withTotal === true ||
  page.followsDue === true ||
  Object.keys(page.filters).some((name) => !indexed.includes(name))

/** Those that the index of trigrams holds. */
export const searchedFields = ({ contains }: Pick<QuestionShape, 'contains'>): string[] => [
  ...new Set(Object.values(contains).flat()),
]

interface Contained {
  fields: readonly string[]
  words: readonly string[]
}

export const containedIn = ({ contains }: QuestionShape, filters: Filters): Contained[] =>
  Object.entries(contains).flatMap(([name, fields]) => {
    const value = filters[name]
    return value === undefined ? [] : { fields, words: [value].flat().map(String) }
  })

type Row = Readonly<Record<string, unknown>>

/** Fields are joined by a line break, which no word has. Undefined if all rows pass. */
export function testOf(contained: readonly Contained[]): ((row: Row) => boolean) | undefined {
  if (contained.length === 0) return undefined
  const parts = contained.map(({ fields, words }) => ({ columns: fields.map(columnOf), words }))
  return (row) =>
    parts.every(({ columns, words }) => {
      const text = foldCase(columns.map((column) => row[column] ?? '').join('\n'))
      return words.every((word) => text.includes(word))
    })
}

/** Nulls come last; texts are compared by code points, as both databases do. */
export function comparePositions(order: readonly OrderColumn[], a: Position, b: Position): number {
  for (let i = 0; i < order.length; i++) {
    const left = a[i] ?? null
    const right = b[i] ?? null
    if (left === right) continue
    if (left === null || right === null) return left === null ? 1 : -1
    const kind = order[i]?.kind
    if (kind === 'instant') return left < right ? -1 : 1
    if (kind === 'integer') return BigInt(left) < BigInt(right) ? -1 : 1
    if (kind !== undefined && isDecimalKind({ kind })) {
      const compared = compareDecimals(String(left), String(right))
      if (compared === 0) continue
      return compared
    }
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
  }
  return 0
}

export const totalOf = (found: number, isAll: boolean): Total => ({
  count: Math.min(found, MAX_COUNTED),
  isMinimum: !isAll || found > MAX_COUNTED,
})

/** The workspace's revision moves with every change of a row, and `until` is when the passing of time changes the list. */
export const revisionDigest = (revision: number | string, until: number): string => `r${revision}.${until}`

/** The same on both engines; PostgreSQL computes it itself. */
export const rowsDigest = (rows: string): string => hash('sha256', rows, 'hex')

type Values = readonly (string | number | null | undefined)[]

export class Groups {
  readonly #groups = new Map<string | null, { count: number; overdue: number }>()
  readonly #kinds: readonly (Kind | undefined)[]
  readonly #dateOf: CountRequest['dateOf']
  #overdue = 0

  constructor({ table: { columns } }: QuestionShape, fields: readonly string[], { dateOf }: CountRequest) {
    this.#kinds = fields.map((field) => columns[field]?.kind)
    this.#dateOf = dateOf
  }

  /** `values` are those of the fields to count by. */
  add(values: Values, isOverdue: boolean, count = 1): void {
    const overdue = isOverdue ? count : 0
    const value = this.#valueOf(values)
    const group = this.#groups.get(value) ?? { count: 0, overdue: 0 }
    this.#groups.set(value, { count: group.count + count, overdue: group.overdue + overdue })
    this.#overdue += overdue
  }

  #valueOf(values: Values): string | null {
    const at = values.findIndex((value) => value !== null && value !== undefined)
    if (at < 0) return null
    const value = String(values[at])
    const kind = this.#kinds[at]
    if (kind === 'instant') return this.#dateOf(value)
    // SQLite has 0 and 1.
    if (kind === 'boolean') return String(value === '1' || value === 'true')
    return kind === 'email' ? value.toLowerCase() : value
  }

  reading(total: Total, until: number): CountReading {
    const all = [...this.#groups].map(([value, counts]) => ({ value, ...counts })).sort(largestFirst)
    const groups = all.slice(0, MAX_GROUPS)
    return { total, overdue: this.#overdue, groups, more: all.length - groups.length, until }
  }
}

type Group = CountReading['groups'][number]

const largestFirst = (a: Group, b: Group): number => {
  if (a.count !== b.count) return b.count - a.count
  if (a.value === null || b.value === null) return a.value === null ? 1 : -1
  return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value))
}
