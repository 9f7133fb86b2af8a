import { isoOf } from '../../../lib/instant.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import { type OrderColumn, rangesAfter } from '../../lists/keyset.ts'
import {
  duesSql,
  MAX_DIGESTED,
  PAUSED_ROWS,
  positionsAfter,
  revisionDigest,
  sortedByPosition,
  testOf,
  totalOf,
} from '../../lists/query.ts'
import {
  type FilteredList,
  MAX_COUNTED,
  type PageRequest,
  type Position,
  type QueryableList,
  type ReadScope,
  type Total,
} from '../../lists/reader.ts'
import { columnOf, quoted } from '../../table.ts'
import { copyOf, frozenSql, inCopy, inTable } from '../frozen.ts'
import { stateIn, stateSql } from './hidden-rows.ts'
import { objectSql, positionSql, rangeValues, SQLITE, selectSql } from './list.ts'
import { candidateQuery, findCandidates, searchName } from './search-index.ts'
import type { SlicedState, SqliteRow } from './sliced-state.ts'

export type ListRequest = Pick<PageRequest, 'filters' | 'followsDue'>

/** Without any limit, SQLite would not keep the order of the inner query. */
const UNLIMITED = 'LIMIT -1'
/** Rows read at once, by their seq. */
const CHUNK = 100
/** About a second of reading, in slices. */
const MAX_WALKED = 100_000
/** A list with no more rows than this is walked, whatever its words. */
const SHORT_WALK = 200

type OnMatch = (row: SqliteRow) => void

interface Matches {
  positions: Position[]
  isAll: boolean
  /** The last row that was looked at, if the walk was cut short. */
  stoppedAt?: Position
}

type Statements = ReturnType<typeof statements>

/** The statements of a list that every query shares. */
export function statements(list: QueryableList) {
  const current = currentSql(list.table, SQLITE)
  const dues = duesSql(list, SQLITE)
  return {
    ...current,
    state: stateSql(current),
    ...(dues.length > 0 && { nextDue: stateSql({ ends: dues, unmarkedCount: '0' }) }),
  }
}

/** One query of a list, in one state of the database. */
export class ListQuery {
  readonly #list: QueryableList
  readonly #sql: Statements
  readonly #state: SlicedState
  readonly #workspaceId: string
  readonly #isFrozen: boolean
  readonly #rows: FilteredList
  readonly #select: ReturnType<typeof selectSql>
  readonly #values: SqliteRow
  readonly #filters: PageRequest['filters']
  readonly #hasWords: (row: SqliteRow) => boolean
  readonly unmarked: number
  readonly until: number
  #candidates: Promise<readonly (string | number)[] | undefined> | undefined

  constructor(list: QueryableList, sql: Statements, state: SlicedState, scope: ReadScope, request: ListRequest) {
    const { workspaceId, now } = scope
    this.#list = list
    this.#sql = sql
    this.#state = state
    this.#workspaceId = workspaceId
    this.#filters = request.filters
    this.#isFrozen = state.get(frozenSql(list.table.name), { workspaceId }) !== undefined
    const values: SqliteRow = {
      workspace: this.#isFrozen ? copyOf(workspaceId) : workspaceId,
      now: isoOf(now),
    }
    const { until, unmarked } = stateIn(state.get(sql.state, values))
    const due =
      request.followsDue && sql.nextDue !== undefined ? stateIn(state.get(sql.nextDue, values)).until : Infinity
    // A row is not overdue yet at the moment at which it falls due.
    this.until = Math.min(until, due + 1)
    this.unmarked = unmarked
    this.#rows = list.compileFilters(request.filters, SQLITE, (value) => {
      const name = `filter_${Object.keys(values).length}`
      values[name] = typeof value === 'boolean' ? Number(value) : value
      return `:${name}`
    })
    this.#select = selectSql(list.table, this.#rows, unmarked > 0)
    this.#values = values
    this.#hasWords = testOf(this.#rows.contains)
  }

  get order(): readonly OrderColumn[] {
    return this.#rows.order
  }

  get #checks(): string[] {
    return this.#rows.checks.map(({ sql }) => sql)
  }

  /** Rows that need no check are counted by the database, except those that a digest needs. */
  get mostKept(): number {
    return this.#isChecked ? MAX_COUNTED : MAX_DIGESTED
  }

  total({ positions, isAll }: Matches): Total {
    return isAll || this.#isChecked ? totalOf(positions.length, isAll) : totalOf(this.#count(MAX_COUNTED), true)
  }

  get #isChecked(): boolean {
    return this.#rows.checks.length > 0 || this.#rows.contains.length > 0
  }

  storedPosition = (after: Position | undefined) => (after !== undefined && this.#isFrozen ? inCopy(after) : after)
  publicPosition = (position: Position) => (this.#isFrozen ? inTable(position) : position)

  /** One extra row shows that there are more than `most`. */
  async find(most: number, after?: Position, columns: readonly string[] = [], onMatch: OnMatch = () => {}) {
    this.#candidates ??= this.#findCandidates()
    const candidates = await this.#candidates
    return candidates === undefined
      ? this.#walk(most, after, columns, onMatch)
      : this.#sortCandidates(candidates, after, columns, onMatch)
  }

  async #walk(most: number, after: Position | undefined, read: readonly string[], onMatch: OnMatch): Promise<Matches> {
    const checks = this.#checks.join(' AND ')
    const columns = this.#selected(read) + (checks && `, coalesce(${checks}, 0) AS _passes`)
    const positions: Position[] = []
    let walked = 0
    for (const range of rangesAfter(this.order, after)) {
      const values = { ...this.#values, ...rangeValues(range, after) }
      for (const row of this.#state.each(this.#select(columns, range, UNLIMITED), values)) {
        if (row._passes !== 0 && this.#hasWords(row)) {
          positions.push(this.#positionOf(row))
          if (positions.length > most) return { positions, isAll: false }
          onMatch(row)
        }
        if (++walked === MAX_WALKED) return { positions, isAll: false, stoppedAt: this.#positionOf(row) }
        if (walked % PAUSED_ROWS === 0) await this.#state.pause()
      }
    }
    return { positions, isAll: true }
  }

  async #sortCandidates(
    candidates: readonly (string | number)[],
    after: Position | undefined,
    read: readonly string[],
    onMatch: OnMatch,
  ): Promise<Matches> {
    const { conditions, inRange } = this.#rows
    const fulfilled = [...this.#sql.listed, ...conditions, ...inRange([], []), ...this.#checks].join(' AND ')
    // By seq: an index would find all rows of the workspace.
    const sql = `SELECT ${this.#selected(read)} FROM ${quoted(this.#list.table.name)} NOT INDEXED
          WHERE seq IN (SELECT value FROM json_each(:seqs)) AND ${fulfilled}`
    // Without the texts that were searched, which may be long.
    const matches: { position: Position; values: SqliteRow }[] = []
    for (let i = 0; i < candidates.length; i += CHUNK) {
      const seqs = `[${candidates.slice(i, i + CHUNK)}]`
      for (const row of this.#state.all(sql, { ...this.#values, seqs }))
        if (this.#hasWords(row))
          matches.push({
            position: this.#positionOf(row),
            values: Object.fromEntries(read.map((name) => [name, row[name] ?? null])),
          })
      await this.#state.pause()
    }
    const positions: Position[] = []
    for (const { position, values } of await sortedByPosition(this.order, matches, this.#state.pause)) {
      onMatch(values)
      if (positions.push(position) % PAUSED_ROWS === 0) await this.#state.pause()
    }
    return this.matchesAfter({ positions, isAll: true }, after)
  }

  /** A list that was read to its end has the following pages too. */
  matchesAfter(all: Matches, after: Position | undefined): Matches {
    if (after === undefined) return all
    // Throws if it is not a position.
    rangesAfter(this.order, after)
    return { positions: positionsAfter(this.order, all.positions, after), isAll: all.isAll }
  }

  /** The position, and columns, among them those that are searched. */
  #selected(columns: readonly string[]): string {
    const searched = this.#rows.contains.flatMap(({ fields }) => fields.map(columnOf))
    return [positionSql(this.order), ...[...new Set([...columns, ...searched])].map(quoted)].join(', ')
  }

  #positionOf(row: SqliteRow): Position {
    return this.order.map((_, i) => row[`_${i}`] as string | null)
  }

  /** Undefined if the list has to be walked. */
  async #findCandidates(): Promise<readonly (string | number)[] | undefined> {
    const { name } = this.#list.table
    const { ids } = this.#filters
    if (ids !== undefined) {
      const sql = `SELECT CAST(seq AS TEXT) AS seq FROM ${quoted(name)}
        WHERE workspace_id = :workspace AND id IN (SELECT value FROM json_each(:ids))`
      const { workspace = '' } = this.#values
      return this.#state.all(sql, { workspace, ids: JSON.stringify(ids) }).map(({ seq }) => String(seq))
    }
    const sql = this.#checkedByIndex()
    if (sql !== undefined && this.#count(SHORT_WALK) > SHORT_WALK) {
      const limited = `SELECT CAST(seq AS TEXT) AS seq FROM (${sql}) LIMIT ${MAX_COUNTED + 1}`
      const rows = this.#state.all(limited, this.#values)
      if (rows.length <= MAX_COUNTED) return rows.map(({ seq }) => String(seq))
    }
    const query = candidateQuery(this.#rows.contains.flatMap(({ words }) => words))
    if (query === undefined || this.#isFrozen || !this.#hasSearch(name)) return undefined
    if (this.#count(SHORT_WALK) <= SHORT_WALK) return undefined
    const search = { query, workspaceId: this.#workspaceId, most: MAX_COUNTED }
    const candidates = await findCandidates(this.#state, name, search)
    // A walk finds rows in order.
    const few = 2 * (candidates?.length ?? 0)
    return few > SHORT_WALK && this.#count(few) <= few ? undefined : candidates
  }

  /** Selects the `seq` of rows that fulfil some of the checks, by an index. */
  #checkedByIndex(): string | undefined {
    const { rows, inOrder, unmarkedRows } = this.#sql
    const indexed = this.#rows.checks.filter(({ index }) => index !== undefined)
    const [{ index } = {}] = indexed
    if (index === undefined) return undefined
    const checks = indexed.map(({ sql }) => sql)
    const inIndex = `SELECT seq ${rows(index, [...inOrder, ...checks])}`
    if (unmarkedRows === undefined || this.unmarked === 0) return inIndex
    return `${inIndex} UNION ALL SELECT seq ${[unmarkedRows, ...checks].join(' AND ')}`
  }

  #hasSearch = (table: string) =>
    this.#state.get('SELECT 1 FROM sqlite_schema WHERE name = :name', { name: searchName(table) }) !== undefined

  /** Counts the rows that a walk would read, up to `most` + 1. */
  #count(most: number): number {
    const walk = this.#select('seq', [], UNLIMITED)
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM (${walk}) LIMIT :most + 1)`
    return Number(this.#state.get(sql, { ...this.#values, most })?.count)
  }

  async objects(positions: readonly Position[], { fields, maxText }: PageRequest): Promise<string[]> {
    const table = quoted(this.#list.table.name)
    const sql = `SELECT ${objectSql(this.#list.table, fields, maxText)} AS object
      FROM (SELECT value AS _seq FROM json_each(:seqs)) CROSS JOIN ${table} ON seq = _seq`
    const parts: string[] = []
    for (let i = 0; i < positions.length; i += CHUNK) {
      const seqs = `[${positions.slice(i, i + CHUNK).map((position) => position.at(-1))}]`
      for (const { object } of this.#state.all(sql, { seqs })) parts.push(String(object))
      await this.#state.pause()
    }
    return parts
  }

  revisionDigest(): string {
    const sql = 'SELECT number FROM revisions WHERE workspace_id = :id'
    return revisionDigest(Number(this.#state.get(sql, { id: this.#workspaceId })?.number ?? 0), this.until)
  }

  near(filter: string, value: string): string[] {
    const { column, value: start, index, where = [] } = this.#list.suggestionSql(filter, SQLITE, ':value')
    const from = this.#sql.rows(index, [...this.#sql.inOrder, ...where])
    const step = (best: string, than: string) => `
      WITH RECURSIVE near(value) AS (SELECT ${start} UNION ALL
        SELECT (SELECT ${best}(${column}) ${from} AND ${column} ${than} near.value) FROM near WHERE value IS NOT NULL LIMIT ${CHUNK})
      SELECT value FROM near WHERE value IS NOT NULL`
    return [step('min', '>'), step('max', '<')]
      .flatMap((sql) => this.#state.all(sql, { ...this.#values, value }).slice(1))
      .map((row) => String(row.value))
  }
}
