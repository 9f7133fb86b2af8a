import type { QueryConfig, QueryResultRow } from 'pg'
import { isoOf, timeOrNever } from '../../../lib/instant.ts'
import { nearest } from '../../../lib/nearest.ts'
import { Slices } from '../../../lib/turns.ts'
import type { BackgroundUpdates, UpdateSome } from '../../lists/background-updates.ts'
import { GroupCounter } from '../../lists/groups.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import { duesSql, MAX_DIGESTED, MAX_WALKED, ROWS_PER_PAUSE, revisionDigest, totalOf } from '../../lists/query.ts'
import {
  type CountRequest,
  type Filters,
  type ListCounts,
  type ListPage,
  type ListReader,
  MAX_COUNTED,
  type PageRequest,
  type Position,
  type QueryableList,
  type ReadScope,
  type ResourceBody,
  type Total,
} from '../../lists/reader.ts'
import type { Slots } from '../../slots.ts'
import { quoted, quotedColumn } from '../../table.ts'
import { isCancelled } from '../faults.ts'
import { markShown } from './hidden-rows.ts'
import {
  fieldsSql,
  firstOf,
  firstRowsSql,
  hasPosition,
  instantSql,
  POSTGRES,
  type Positioned,
  positionOf,
  positionSql,
} from './list.ts'
import { type AccessPath, ListQuery, MAX_ROWS_WALKED } from './query.ts'
import { type SearchSupport, searchSupportSql } from './search-index.ts'

/** This many rows of a walk show whether a word is common. */
const SAMPLE_ROWS = 1000
/** More common words are found sooner by a walk. */
const COMMON_SHARE = 0.05
const SUPPORT_CHECKED_MS = 60_000
/** Other queries wait for the connection. */
const MAX_COUNTING_MS = 5000
const NO_SUPPORT: SearchSupport = { hasIndex: false, hasLetters: false }
const WALK: AccessPath = { by: 'walk' }
const TRIGRAMS: AccessPath = { by: 'trigrams' }

export interface ListConnections {
  /** For reads that may take long, so that they leave connections to the others. */
  slots: Slots
  /** Runs on a read-only session. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates in the background: gives the number of rows that a statement changed. */
  update(statement: QueryConfig): Promise<number>
  background: Pick<BackgroundUpdates, 'request'>
}

export class PostgresListReader implements ListReader {
  readonly #list: QueryableList
  readonly #read: ListConnections['read']
  readonly #slots: Slots
  /** Planned once. */
  readonly #firstRows: QueryConfig
  readonly #current: ReturnType<typeof currentSql>
  readonly #mark: UpdateSome | undefined
  readonly #background: ListConnections['background']
  #support: { value: Promise<SearchSupport>; until: number } | undefined

  constructor(list: QueryableList, { slots, read, update, background }: ListConnections) {
    const { name, listing } = list.table
    this.#list = list
    this.#read = read
    this.#slots = slots
    this.#firstRows = { name: `list ${name}`, text: firstRowsSql(list) }
    this.#current = currentSql(list.table, POSTGRES)
    this.#mark = listing.hidden && markShown(name, listing.hidden, this.#current.unmarkedRows ?? '', update)
    this.#background = background
  }

  async firstRows({ workspaceId, now }: ReadScope): Promise<ResourceBody> {
    const [row] = await this.#read<FirstRows>({ ...this.#firstRows, values: [workspaceId, isoOf(now)] })
    const { json = '', until = null, unmarked = 0 } = row ?? {}
    this.#background.request(this.#mark, unmarked, workspaceId, now)
    return { body: Buffer.from(`{"${this.#list.table.name}":[${json}]}`), until: timeOrNever(until) }
  }

  /** The extension may be installed while the server runs. */
  async #supported(): Promise<SearchSupport> {
    const now = performance.now()
    if (this.#support === undefined || this.#support.until < now) {
      const value = this.#read<SearchSupport & QueryResultRow>({ text: searchSupportSql(this.#list.table.name) }).then(
        ([row]) => row ?? NO_SUPPORT,
      )
      this.#support = { value, until: now + SUPPORT_CHECKED_MS }
      value.catch(() => {
        this.#support = undefined
      })
    }
    return this.#support.value
  }

  /** Tries a short walk: words that it finds often, or a list that it gets through, need no index. */
  async #pathFor(scope: ReadScope, filters: Filters): Promise<AccessPath> {
    const { checks, contains } = this.#list.compileFilters(filters, POSTGRES, () => '')
    const words = contains.flatMap((contained) => contained.words)
    if (words.length === 0)
      return checks.some(({ index }) => index !== undefined) ? this.#pathForChecks(scope, filters) : WALK
    const support = await this.#supported()
    const hasTrigrams = support.hasLetters ? /[\p{L}\p{N}]{3}/u : /[a-z0-9]{3}/
    if (!support.hasIndex || !words.some((word) => hasTrigrams.test(word))) return WALK
    const query = new ListQuery(this.#list, scope, filters, WALK)
    const walked = query.walk(query.everywhere, SAMPLE_ROWS)
    const text = `SELECT count(*)::int AS walked, count(*) FILTER (WHERE ${query.matches})::int AS found FROM (${walked}) AS walked`
    const [row] = await this.#read<{ walked: number; found: number }>(query.statement(text))
    if (row?.walked !== SAMPLE_ROWS || row.found >= COMMON_SHARE * SAMPLE_ROWS) return WALK
    return (await this.#areFew(scope, filters)) ? TRIGRAMS : { ...WALK, findsMany: true }
  }

  /** Rows that a check's index finds are sorted, so there must not be too many. */
  async #pathForChecks(scope: ReadScope, filters: Filters): Promise<AccessPath> {
    const query = new ListQuery(this.#list, scope, filters, WALK)
    const checks = query.filtered.checks.filter(({ index }) => index !== undefined).map(({ sql }) => sql)
    const inList = query.rows(query.everywhere, [], `LIMIT ${SAMPLE_ROWS + 1}`)
    const candidates = query.rows(query.everywhere, checks, `LIMIT ${MAX_COUNTED + 1}`)
    const text = `SELECT (SELECT count(*) FROM (${inList}) AS _first) > ${SAMPLE_ROWS} AND count(*) <= ${MAX_COUNTED} AS few,
      count(*) FILTER (WHERE ${query.matches}) > ${MAX_COUNTED} AS many FROM (${candidates}) AS _named`
    const [row] = await this.#read<{ few: boolean; many: boolean }>(query.statement(text))
    return row?.few === true ? { by: 'check' } : { ...WALK, findsMany: row?.many === true }
  }

  /** Candidates are sorted, so there must not be too many. */
  async #areFew(scope: ReadScope, filters: Filters): Promise<boolean> {
    const query = new ListQuery(this.#list, scope, filters, TRIGRAMS)
    const candidates = query.rows(query.everywhere, [query.matches], 'OFFSET 0')
    const text = `SELECT EXISTS (SELECT FROM (${candidates}) AS _found OFFSET ${MAX_COUNTED}) AS many`
    const [row] = await this.#read<{ many: boolean }>(query.statement(text))
    return row?.many === false
  }

  /** When the response changes by itself, and how many rows are unmarked. */
  #nextChangeSql(followsDue: boolean): string {
    const { ends, unmarkedCount } = this.#current
    // A row is not overdue yet at the moment at which it falls due.
    const dues = followsDue ? duesSql(this.#list, POSTGRES).map((due) => `${due} + interval '1 millisecond'`) : []
    return `${firstOf([...ends, ...dues])}::text AS until, ${unmarkedCount}::int AS unmarked`
  }

  page(scope: ReadScope, page: PageRequest): Promise<ListPage> {
    return this.#slots.run(scope.workspaceId, async () => {
      const { filters, limit, after, fields, maxText, followsDue = false, withTotal = false } = page
      const path = await this.#pathFor(scope, filters)
      const query = new ListQuery(this.#list, scope, filters, path)
      const { order } = query.filtered
      const { everywhere } = query
      const ranges = query.rangesAfter(after)
      const joinRow = `JOIN vitrine.${quoted(this.#list.table.name)} AS _table USING (seq)
      CROSS JOIN LATERAL (SELECT ${fieldsSql(this.#list.table, fields, maxText)} FROM (SELECT _table.*) AS _one) AS _row`
      const numbered = (selected: string) =>
        `SELECT *, row_number() OVER (ORDER BY ${query.order}) AS _number FROM (${selected}) AS _m`
      const onPage = numbered(query.matched(ranges, limit + 1))
      const isInAll = after === undefined || !withTotal
      const position = order.map((_, at) => `_${at}`).join(', ')
      // The row of a walk that ended early comes last, without JSON.
      const text = `
      WITH _all AS MATERIALIZED (${withTotal ? numbered(query.matched(everywhere, MAX_COUNTED + 1)) : onPage}),
      _page AS MATERIALIZED (
        SELECT *, ${positionSql(order)} FROM (${isInAll ? `SELECT * FROM _all WHERE _number <= ${limit + 1}` : onPage}) AS _p),
      _total AS (SELECT count(*)::int AS found, count(*) <= ${MAX_COUNTED} AND EXISTS (${query.stopped(everywhere)}) AS is_cut FROM _all),
      _shown AS (
        SELECT _number, row_to_json(_row)::text AS json, ${position} FROM _page ${joinRow} WHERE _number <= ${limit}
        UNION ALL
        SELECT NULL, NULL, ${positionSql(order)} FROM (${query.stopped(ranges)}) AS _stopped WHERE (SELECT count(*) FROM _page) <= ${limit})
      SELECT json, ${position}, found, is_cut AS "isCut", (SELECT count(*) FROM _page) > ${limit} AS "isMore",
             ${this.#nextChangeSql(followsDue)},
             (SELECT number FROM vitrine.revisions WHERE workspace_id = $1)::text AS revision,
             CASE WHEN ${withTotal} AND found <= ${MAX_DIGESTED} AND NOT is_cut THEN
               (SELECT encode(sha256(convert_to(coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _number), ''), 'UTF8')), 'hex')
                FROM _all ${joinRow}) END AS digest
      FROM _total LEFT JOIN _shown ON true ORDER BY _number`
      const pageRows = await this.#read<PageRow>(query.statement(text))
      const last = pageRows.at(-1)
      if (last === undefined) throw new Error('a list has no total')
      this.#background.request(this.#mark, last.unmarked, scope.workspaceId, scope.now)
      const until = timeOrNever(last.until)
      const listed = pageRows.filter(({ json }) => json !== null)
      const isStopped = last.json === null && hasPosition(order, last)
      return {
        rows: listed.map(({ json }) => json as string),
        positions: listed.map((row) => positionOf(order, row)),
        next: last.isMore || isStopped ? positionOf(order, last) : undefined,
        until,
        ...(withTotal && {
          total: last.isCut ? await this.#total(scope, filters, path) : totalOf(last.found, true),
          digest: last.digest ?? revisionDigest(scope.workspaceId, last.revision ?? 0, until),
        }),
      }
    })
  }

  /** Counts to the end of a list that is too long for one statement. */
  async #total(scope: ReadScope, filters: Filters, path: AccessPath): Promise<Total> {
    let total = totalOf(MAX_COUNTED + 1, true)
    if (!path.findsMany) for await (const slice of this.#count(scope, filters, path)) total = slice.total
    return total
  }

  counts(scope: ReadScope, request: CountRequest): Promise<ListCounts> {
    return this.#slots.run(scope.workspaceId, async () => {
      const { filters } = request
      const { countBy, due, table } = this.#list
      const fields = countBy[request.by] ?? []
      const read = [...fields, ...(due === undefined ? [] : [due])]
      const value = (field: string) =>
        table.columns[field]?.kind === 'instant'
          ? instantSql(quotedColumn(field), 'MS')
          : `${quotedColumn(field)}::text`
      const isOverdueSql = due === undefined ? 'NULL' : `${quotedColumn(due)} < $2::timestamptz`
      const groupsSql = `(SELECT json_agg(one)::text FROM (
        SELECT json_build_array(json_build_array(${fields.map(value).join(', ')}), ${isOverdueSql}, count(*)) AS one
        FROM _counted GROUP BY ${read.map(quotedColumn).join(', ')}) AS _groups)`
      const groups = new GroupCounter(this.#list, fields, request)
      const turns = new Slices()
      let total = totalOf(0, true)
      let until = Number.POSITIVE_INFINITY
      for await (const slice of this.#count(scope, filters, await this.#pathFor(scope, filters), read, groupsSql)) {
        this.#background.request(this.#mark, slice.unmarked, scope.workspaceId, scope.now)
        for (const [i, [values, isOverdue, count]] of (JSON.parse(slice.groups ?? '[]') as GroupCount[]).entries()) {
          groups.add(values, isOverdue === true, count)
          if (i % ROWS_PER_PAUSE === 0) await turns.pause()
        }
        total = slice.total
        until = Math.min(until, timeOrNever(slice.until))
      }
      return groups.result(total, until)
    })
  }

  /**
   * Counts in statements that each end in time, until MAX_COUNTED rows were found, MAX_WALKED were looked at, or it took too long.
   * A row that changes its place meanwhile may be missed or counted twice.
   */
  async *#count(scope: ReadScope, filters: Filters, path: AccessPath, fields?: string[], groupsSql = 'NULL') {
    let found = 0
    let after: Position | undefined
    const startedAt = performance.now()
    for (let walked = 0; walked < MAX_WALKED; walked += MAX_ROWS_WALKED) {
      if (performance.now() - startedAt > MAX_COUNTING_MS) return
      const query = new ListQuery(this.#list, scope, filters, path, fields)
      const { order } = query.filtered
      const ranges = query.rangesAfter(after)
      const left = MAX_COUNTED - found
      const statement = query.statement(`
      WITH _all AS MATERIALIZED (${query.matched(ranges, left + 1)}),
      _counted AS (SELECT * FROM _all ORDER BY ${query.order} LIMIT ${left}),
      _stopped AS (SELECT ${positionSql(order)} FROM (${query.stopped(ranges)}) AS _last WHERE (SELECT count(*) FROM _all) <= ${left})
      SELECT (SELECT count(*)::int FROM _all) AS found, _stopped.*, ${groupsSql} AS groups, ${this.#nextChangeSql(true)}
      FROM (SELECT) AS _one LEFT JOIN _stopped ON true`)
      const [row] = await this.#read<CountRow>(statement).catch((error) => {
        if (after !== undefined && isCancelled(error)) return []
        throw error
      })
      if (row === undefined) return
      found += row.found
      const isStopped = hasPosition(order, row)
      yield { ...row, total: totalOf(found, !isStopped) }
      if (!isStopped) return
      after = positionOf(order, row)
    }
  }

  /** Reads the first rows of the list, and the index entries next to the value. */
  suggest(scope: ReadScope, filter: string, value: string): Promise<string[]> {
    return this.#slots.run(scope.workspaceId, async () => {
      const fields = this.#list.suggests[filter] ?? []
      const query = new ListQuery(this.#list, scope, {}, WALK, fields)
      const columns = fields.map((field) => `${quotedColumn(field)}::text`)
      const sql = this.#list.suggestionSql(filter, POSTGRES, query.bind(value, 'text'))
      const { column, value: start, index, where = [] } = sql
      const near = (best: string, than: string) => {
        const others = this.#current.rows(index, [...this.#current.inOrder, ...where, `${column} ${than} _near.value`])
        return `UNION (WITH RECURSIVE _near(value, n) AS (SELECT ${start}, 0 UNION ALL
             SELECT (SELECT ${best}(${column}) ${others}), n + 1 FROM _near WHERE value IS NOT NULL AND n < 100)
           SELECT value FROM _near WHERE value IS NOT NULL AND n > 0)`
      }
      const text = `SELECT unnest(ARRAY[${columns}]) COLLATE "C" AS value FROM (${query.walk(query.everywhere, SAMPLE_ROWS)}) AS _first
      ${near('min', '>')} ${near('max', '<')}`
      const rows = await this.#read<{ value: string | null }>(query.statement(text))
      return nearest(
        value,
        rows.flatMap((row) => row.value ?? []),
      )
    })
  }
}

interface FoundRow extends Positioned {
  found: number
  unmarked: number
  until: string | null
}

interface PageRow extends FoundRow {
  json: string | null
  isCut: boolean
  isMore: boolean
  revision: string | null
  digest: string | null
}

interface FirstRows extends Pick<FoundRow, 'unmarked' | 'until'> {
  json: string
}

interface CountRow extends FoundRow {
  groups: string | null
}

type GroupCount = [values: (string | null)[], isOverdue: boolean | null, count: number]
