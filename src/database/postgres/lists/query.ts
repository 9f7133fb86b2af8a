import { foldCase } from '../../../lib/fold-case.ts'
import { isoOf } from '../../../lib/instant.ts'
import type { Filters, Position, ReadScope } from '../../../lists/query.ts'
import { rangesAfter } from '../../lists/keyset.ts'
import type { Bind, FilteredList, QueryableList } from '../../lists/reader.ts'
import { searchedFields } from '../../lists/word-filters.ts'
import { quoted, quotedColumn } from '../../table.ts'
import { orderSql, POSTGRES, positionParameters, rangeConditions, rowSetsOf, typeOf } from './list.ts'
import { foldSql, indexedSql, joinedSql } from './search-index.ts'

/** In one statement, which must end within the server's timeout even if each row is read from disk. */
export const MAX_ROWS_WALKED = 10_000

/** How rows are found: by a walk that may end early, by the trigram index, or by the index of a check. */
export interface AccessPath {
  by: 'walk' | 'trigrams' | 'check'
  /** Known already: more than MAX_COUNTED rows match. */
  findsMany?: boolean
}

/** Conditions for each range of the list's order. */
type Ranges = readonly (readonly string[])[]

/** The parts of a statement that queries a list, and the values of its parameters. The first two are the workspace and now. */
export class ListQuery {
  readonly filtered: FilteredList
  readonly order: string
  /** Holds for rows that pass the checks and contain the words. */
  readonly matches: string
  /** The range with all rows. */
  readonly everywhere: Ranges
  readonly #values: unknown[]
  readonly #table: string
  readonly #rowSets: Ranges
  readonly #columns: readonly string[]
  readonly #isChecked: boolean
  readonly #isWalk: boolean

  constructor(
    list: QueryableList,
    { workspaceId, now }: ReadScope,
    filters: Filters,
    path: AccessPath,
    fields: readonly string[] = [],
  ) {
    this.#values = [workspaceId, isoOf(now)]
    this.#table = `vitrine.${quoted(list.table.name)}`
    this.filtered = list.compileFilters(filters, POSTGRES, this.bind)
    const { order, checks, contains, inRange } = this.filtered
    this.order = orderSql(order)
    this.everywhere = [inRange([], [])]
    const conditions = [
      ...checks.map(({ sql }) => sql),
      ...contains.flatMap((contained) =>
        contained.words.map((word) => this.#like(foldSql(joinedSql(contained.fields)), word)),
      ),
    ]
    if (path.by === 'trigrams') {
      const indexed = indexedSql(searchedFields(list))
      conditions.unshift(
        `${indexed} LIKE ${this.#parameter(`${escaped(foldCase(workspaceId))}\n%`)}`,
        ...contains.flatMap(({ words }) => words.map((word) => this.#like(indexed, word))),
      )
    }
    const byIds = filters.ids === undefined ? [] : [`id = ANY (${this.#parameter(filters.ids)}::text[])`]
    this.matches = conditions.join(' AND ') || 'true'
    this.#rowSets = rowSetsOf(list.table, this.filtered).map((rowSet) => [...rowSet, ...byIds])
    this.#isChecked = conditions.length > 0
    this.#isWalk = path.by === 'walk' && byIds.length === 0
    const read = [...fields, ...checks.map(({ field }) => field), ...contains.flatMap((contained) => contained.fields)]
    this.#columns = [...new Set([...order.map(({ name }) => name), ...read.map(quotedColumn)])]
  }

  #parameter(value: unknown): string {
    return `$${this.#values.push(value)}`
  }

  bind: Bind = (value, kind) => `${this.#parameter(value)}::${typeOf({ kind })}`

  #like(text: string, word: string): string {
    return `${text} LIKE ${this.#parameter(`%${escaped(word)}%`)}`
  }

  statement(text: string) {
    return { text, values: this.#values }
  }

  rangesAfter(after: Position | undefined): Ranges {
    const { order, inRange } = this.filtered
    const position = positionParameters(order, after, this.bind)
    return rangesAfter(order, after).map((range) => [
      ...inRange(range, position),
      ...rangeConditions(order, range, position),
    ])
  }

  rows(ranges: Ranges, where: readonly string[], end: string, columns = this.#columns): string {
    return this.#rowSets
      .flatMap((rowSet) => ranges.map((range) => [...rowSet, ...where, ...range].join(' AND ')))
      .map((all) => `(SELECT ${columns.join(', ')} FROM ${this.#table} WHERE ${all} ${end})`)
      .join(' UNION ALL ')
  }

  walk(ranges: Ranges, limit: number, columns = this.#columns): string {
    const first = `ORDER BY ${this.order} LIMIT ${limit}`
    return `SELECT * FROM (${this.rows(ranges, [], first, columns)}) AS _each ${first}`
  }

  /** Without an order, so that PostgreSQL finds candidates by the index that names the fewest. */
  matched(ranges: Ranges, limit: number): string {
    if (!this.#isWalk)
      return `SELECT * FROM (${this.rows(ranges, [this.matches], 'OFFSET 0')}) AS _found ORDER BY ${this.order} LIMIT ${limit}`
    if (!this.#isChecked) return this.walk(ranges, limit)
    return `SELECT * FROM (${this.walk(ranges, MAX_ROWS_WALKED)}) AS _walked WHERE ${this.matches} ORDER BY ${this.order} LIMIT ${limit}`
  }

  /** The last row of a walk that ends early. Reads only columns that the index has. */
  stopped(ranges: Ranges): string {
    const position = this.filtered.order.map(({ name }) => name)
    if (!this.#isWalk || !this.#isChecked) return `SELECT ${position.join(', ')} FROM ${this.#table} WHERE false`
    const walked = this.walk(ranges, MAX_ROWS_WALKED, position)
    return `SELECT * FROM (${walked}) AS _walked ORDER BY ${this.order} OFFSET ${MAX_ROWS_WALKED - 1} LIMIT 1`
  }
}

const escaped = (word: string) => word.replaceAll(/[\\%_]/g, '\\$&')
