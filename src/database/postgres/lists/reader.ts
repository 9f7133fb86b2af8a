import type { QueryConfig } from 'pg'
import { isoOf, timeOrNever } from '../../../lib/instant.ts'
import { nearest } from '../../../lib/nearest.ts'
import { Slices } from '../../../lib/turns.ts'
import {
  type CountRequest,
  type Filters,
  type ListCounts,
  type ListPage,
  type ListReader,
  MAX_COUNTED,
  type PageRequest,
  type Position,
  type ReadScope,
  type ResourceBody,
  type Total,
} from '../../../lists/query.ts'
import type { BackgroundUpdates, UpdateSome } from '../../lists/background-updates.ts'
import { GroupCounter } from '../../lists/groups.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import {
  duesSql,
  MAX_DIGESTED,
  MAX_WALKED,
  nearValuesSql,
  ROWS_PER_PAUSE,
  revisionDigest,
  totalOf,
} from '../../lists/query.ts'
import type { QueryableList } from '../../lists/reader.ts'
import type { Slots } from '../../slots.ts'
import { quoted, quotedColumn } from '../../table.ts'
import { isCancelled } from '../faults.ts'
import { AccessPaths, type Read, SAMPLE_ROWS, WALK } from './access-path.ts'
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

/** Other queries wait for the connection. */
const MAX_COUNTING_MS = 5000

export interface ListConnections {
  /** For reads that may take long, so that they leave connections to the others. */
  slots: Slots
  read: Read
  /** For updates in the background: gives the number of rows that a statement changed. */
  update(statement: QueryConfig): Promise<number>
  background: Pick<BackgroundUpdates, 'request'>
}

export class PostgresListReader implements ListReader {
  readonly #list: QueryableList
  readonly #connections: ListConnections
  readonly #paths: AccessPaths
  /** Planned once. */
  readonly #firstRows: QueryConfig
  readonly #current: ReturnType<typeof currentSql>
  readonly #mark: UpdateSome | undefined

  constructor(list: QueryableList, connections: ListConnections) {
    const { name, listing } = list.table
    this.#list = list
    this.#connections = connections
    this.#paths = new AccessPaths(list, connections.read)
    this.#firstRows = { name: `list ${name}`, text: firstRowsSql(list) }
    this.#current = currentSql(list.table, POSTGRES)
    this.#mark = listing.hidden && markShown(name, listing.hidden, this.#current.unmarkedRows ?? '', connections.update)
  }

  async firstRows({ workspaceId, now }: ReadScope): Promise<ResourceBody> {
    const [row] = await this.#connections.read<FirstRows>({ ...this.#firstRows, values: [workspaceId, isoOf(now)] })
    const { json = '', until = null, unmarked = 0 } = row ?? {}
    this.#connections.background.request(this.#mark, unmarked, workspaceId, now)
    return { body: Buffer.from(`{"${this.#list.table.name}":[${json}]}`), until: timeOrNever(until) }
  }

  /** When the response changes by itself, and how many rows are unmarked. */
  #nextChangeSql(followsDue: boolean): string {
    const { ends, unmarkedCount } = this.#current
    // A row is not overdue yet at the moment at which it falls due.
    const dues = followsDue ? duesSql(this.#list, POSTGRES).map((due) => `${due} + interval '1 millisecond'`) : []
    return `${firstOf([...ends, ...dues])}::text AS until, ${unmarkedCount}::int AS unmarked`
  }

  page(scope: ReadScope, page: PageRequest): Promise<ListPage> {
    return this.#connections.slots.run(scope.workspaceId, async () => {
      const { filters, withTotal = false } = page
      const path = await this.#paths.choose(scope, filters)
      const query = new ListQuery(this.#list, scope, filters, path)
      const { order } = query.filtered
      const pageRows = await this.#connections.read<PageRow>(query.statement(this.#pageSql(query, page)))
      // There is always a row, with the total.
      const last = pageRows.at(-1) as PageRow
      this.#connections.background.request(this.#mark, last.unmarked, scope.workspaceId, scope.now)
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

  /** The rows of a page; last the row at which a walk ended early, without JSON. Each has the total and the digest. */
  #pageSql(query: ListQuery, page: PageRequest): string {
    const { limit, after, fields, maxText, followsDue = false, withTotal = false } = page
    const { everywhere } = query
    const { order } = query.filtered
    const ranges = query.rangesAfter(after)
    const joinRow = `JOIN vitrine.${quoted(this.#list.table.name)} AS _table USING (seq)
      CROSS JOIN LATERAL (SELECT ${fieldsSql(this.#list.table, fields, maxText)} FROM (SELECT _table.*) AS _one) AS _row`
    const numbered = (selected: string) =>
      `SELECT *, row_number() OVER (ORDER BY ${query.order}) AS _number FROM (${selected}) AS _m`
    const onPage = numbered(query.matched(ranges, limit + 1))
    const isInAll = after === undefined || !withTotal
    const position = order.map((_, at) => `_${at}`).join(', ')
    return `
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
  }

  /** Counts to the end of a list that is too long for one statement. */
  async #total(scope: ReadScope, filters: Filters, path: AccessPath): Promise<Total> {
    let total = totalOf(MAX_COUNTED + 1, true)
    if (!path.findsMany) for await (const slice of this.#count(scope, filters, path)) total = slice.total
    return total
  }

  counts(scope: ReadScope, request: CountRequest): Promise<ListCounts> {
    return this.#connections.slots.run(scope.workspaceId, async () => {
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
      const path = await this.#paths.choose(scope, filters)
      for await (const slice of this.#count(scope, filters, path, read, groupsSql)) {
        this.#connections.background.request(this.#mark, slice.unmarked, scope.workspaceId, scope.now)
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
      const [row] = await this.#connections.read<CountRow>(statement).catch((error) => {
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
    return this.#connections.slots.run(scope.workspaceId, async () => {
      const fields = this.#list.suggests[filter] ?? []
      const query = new ListQuery(this.#list, scope, {}, WALK, fields)
      const columns = fields.map((field) => `${quotedColumn(field)}::text`)
      const near = nearValuesSql(this.#list, filter, POSTGRES, query.bind(value, 'text'))
      const text = `SELECT unnest(ARRAY[${columns}]) COLLATE "C" AS value FROM (${query.walk(query.everywhere, SAMPLE_ROWS)}) AS _first
      UNION (${near})`
      const rows = await this.#connections.read<{ value: string | null }>(query.statement(text))
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
