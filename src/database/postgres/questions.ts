import type { QueryConfig, QueryResultRow } from 'pg'
import { foldCase } from '../../lib/fold-case.ts'
import { isoOf } from '../../lib/instant.ts'
import { nearest } from '../../lib/nearest.ts'
import { Slices } from '../../lib/turns.ts'
import type { UpdateSome } from '../background-updates.ts'
import { currentSql, MANY_UNMARKED } from '../expiry.ts'
import { rangesAfter } from '../keyset.ts'
import {
  type Bind,
  type BodyReading,
  type CountReading,
  type CountRequest,
  type FilteredList,
  type Filters,
  type ListReader,
  MAX_COUNTED,
  type PageReading,
  type PageRequest,
  type Position,
  type QuestionedList,
  type Viewpoint,
} from '../queries.ts'
import { duesSql, groupsOf, MAX_DIGESTED, PAUSED_ROWS, revisionDigest, searchedFields, totalOf } from '../questions.ts'
import { quoted, quotedColumn } from '../table.ts'
import type { PostgresEngine } from './engine.ts'
import { markExpired } from './expiry.ts'
import {
  fieldsSql,
  firstOf,
  instantSql,
  orderSql,
  POSTGRES,
  positionIn,
  positionParameters,
  positionSql,
  rangeConditions,
  rowSetsOf,
  typeOf,
  untilIn,
} from './list.ts'
import { wholeSql } from './page.ts'
import { foldSql, indexedSql, joinedSql, type SearchSupport, searchSupportSql } from './search-index.ts'

/** In one statement, which must end within the server's timeout even if each row is read from disk. */
const MAX_ROWS_WALKED = 10_000
/** This many rows of a walk show whether a word is common. */
const TRIED = 1000
/** More common words are found sooner by a walk. */
const COMMON = 0.05
const SUPPORT_CHECKED_MS = 60_000
const NO_SUPPORT: SearchSupport = { hasIndex: false, hasIcu: false, hasLetters: false }

/** How rows are found: by the trigram index, by a check's index, or by a walk that may end early. */
interface Way {
  support: SearchSupport
  isIndexed: boolean
  isChecked?: boolean
}

/** Conditions for each range after a position. */
function rangesSql({ order, inRange }: FilteredList, after: Position | undefined, bind: Bind): string[][] {
  const position = positionParameters(order, after, bind)
  return rangesAfter(order, after).map((range) => [
    ...inRange(range, position),
    ...rangeConditions(order, range, position),
  ])
}

export class PostgresListReader implements ListReader {
  readonly #list: QuestionedList
  readonly #read: PostgresEngine['read']
  readonly #slots: PostgresEngine['slots']
  readonly #background: PostgresEngine['background']
  /** Planned once. */
  readonly #whole: QueryConfig
  readonly #current: ReturnType<typeof currentSql>
  readonly #mark: UpdateSome | undefined
  #support: { value: Promise<SearchSupport>; until: number } | undefined

  constructor(list: QuestionedList, { slots, read, update, background }: PostgresEngine) {
    const { name, listing } = list.table
    this.#whole = { name: `list ${name}`, text: wholeSql(list) }
    this.#list = list
    this.#read = read
    this.#slots = slots
    this.#current = currentSql(list.table, POSTGRES)
    this.#background = background
    this.#mark = listing.expiry && markExpired(name, listing.expiry, this.#current.unmarkedRows ?? '', update)
  }

  async whole(viewpoint: Viewpoint): Promise<BodyReading> {
    const values = [viewpoint.workspaceId, isoOf(viewpoint.now)]
    const [row] = await this.#read<WholeRow>({ ...this.#whole, values })
    const { json = '', until = null, unmarked = 0 } = row ?? {}
    this.#markIfMany(unmarked, viewpoint)
    return { body: Buffer.from(`{"${this.#list.table.name}":[${json}]}`), until: untilIn(until) }
  }

  page(viewpoint: Viewpoint, page: PageRequest): Promise<PageReading> {
    return this.#slots.run(viewpoint.workspaceId, () => this.#page(viewpoint, page))
  }

  counts(viewpoint: Viewpoint, request: CountRequest): Promise<CountReading> {
    return this.#slots.run(viewpoint.workspaceId, () => this.#counts(viewpoint, request))
  }

  suggest(viewpoint: Viewpoint, filter: string, value: string): Promise<readonly string[]> {
    return this.#slots.run(viewpoint.workspaceId, () => this.#suggest(viewpoint, filter, value))
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
  async #wayTo(viewpoint: Viewpoint, filters: Filters): Promise<Way> {
    const words = this.#list.open(filters, POSTGRES, () => '').contains.flatMap((contained) => contained.words)
    if (words.length === 0) return this.#wayToChecked(viewpoint, filters)
    const support = await this.#supported()
    const hasTrigrams = support.hasLetters ? /[\p{L}\p{N}]{3}/u : /[a-z0-9]{3}/
    if (!support.hasIndex || !words.some((word) => hasTrigrams.test(word))) return { support, isIndexed: false }
    const { everywhere, statement, walk, matches } = this.#prepare(viewpoint, filters, { support, isIndexed: false })
    const walked = walk(everywhere, TRIED)
    const text = `SELECT count(*)::int AS walked, count(*) FILTER (WHERE ${matches})::int AS found FROM (${walked}) AS walked`
    const [row] = await this.#read<{ walked: number; found: number }>(statement(text))
    if (row?.walked !== TRIED || row.found >= COMMON * TRIED) return { support, isIndexed: false }
    return { support, isIndexed: await this.#areFew(viewpoint, filters, support) }
  }

  /** Rows that a check's index finds are sorted, so there must not be too many. */
  async #wayToChecked(viewpoint: Viewpoint, filters: Filters): Promise<Way> {
    const walked = { support: NO_SUPPORT, isIndexed: false }
    const { list, everywhere, rows, matches, statement } = this.#prepare(viewpoint, filters, walked)
    const checks = list.checks.filter(({ index }) => index !== undefined).map(({ sql }) => sql)
    if (checks.length === 0) return walked
    const inList = rows(everywhere, [], `LIMIT ${TRIED + 1}`)
    const named = rows(everywhere, checks, `LIMIT ${MAX_COUNTED + 1}`)
    // Every parameter must be used, so it also counts the matches.
    const text = `SELECT (SELECT count(*) FROM (${inList}) AS _first) > ${TRIED} AND count(*) <= ${MAX_COUNTED} AS few,
      count(*) FILTER (WHERE ${matches}) AS found FROM (${named}) AS _named`
    const [row] = await this.#read<{ few: boolean }>(statement(text))
    return { ...walked, isChecked: row?.few === true }
  }

  /** Candidates are sorted, so there must not be too many. */
  async #areFew(viewpoint: Viewpoint, filters: Filters, support: SearchSupport): Promise<boolean> {
    const { everywhere, matches, rows, statement } = this.#prepare(viewpoint, filters, { support, isIndexed: true })
    const candidates = rows(everywhere, [matches], 'OFFSET 0')
    const text = `SELECT EXISTS (SELECT FROM (${candidates}) AS _found OFFSET ${MAX_COUNTED}) AS many`
    const [row] = await this.#read<{ many: boolean }>(statement(text))
    return row?.many === false
  }

  #prepare(
    { workspaceId, now }: Viewpoint,
    filters: Filters,
    way: Way,
    { followsDue = false, fields = [] }: Pick<PageRequest, 'followsDue' | 'fields'> = {},
  ) {
    const values: unknown[] = [workspaceId, isoOf(now)]
    const parameter = (value: unknown) => `$${values.push(value)}`
    const bind: Bind = (value, kind) => `${parameter(value)}::${typeOf({ kind })}`
    const list = this.#list.open(filters, POSTGRES, bind)
    const rowSets = rowSetsOf(this.#list.table, list)
    const { ends, unmarkedCount } = this.#current
    // A row is not overdue yet at the moment at which it falls due.
    const dues = followsDue ? duesSql(this.#list, POSTGRES).map((due) => `${due} + interval '1 millisecond'`) : []
    const table = `vitrine.${quoted(this.#list.table.name)}`
    // PostgreSQL neither stores NUL nor accepts it in a parameter.
    const like = (text: string, word: string) =>
      word.includes('\0') ? 'false' : `${text} LIKE ${parameter(`%${escaped(word)}%`)}`
    const { checks, contains } = list
    const conditions = [
      ...checks.map(({ sql }) => sql),
      ...contains.flatMap(({ fields: within, words }) =>
        words.map((word) => like(foldSql(joinedSql(within), way.support), word)),
      ),
    ]
    if (way.isIndexed) {
      const indexed = indexedSql({ fields: searchedFields(this.#list) }, way.support)
      conditions.unshift(
        `${indexed} LIKE ${parameter(`${escaped(foldCase(workspaceId))}\n%`)}`,
        ...contains.flatMap(({ words }) => words.map((word) => like(indexed, word))),
      )
    }
    const { ids } = filters
    const named = Array.isArray(ids) ? [`id = ANY (${parameter(ids.filter((id) => !id.includes('\0')))}::text[])`] : []
    const matches = conditions.join(' AND ') || 'true'
    const isWalk = !way.isIndexed && way.isChecked !== true && named.length === 0
    const order = orderSql(list.order)
    const read = new Set([
      ...list.order.map(({ name }) => name),
      ...[...fields, ...checks.map(({ field }) => field), ...contains.flatMap(({ fields: within }) => within)].map(
        quotedColumn,
      ),
    ])
    const rows = (inRanges: readonly string[][], where: readonly string[], end: string, columns = [...read]) =>
      rowSets
        .flatMap((rowSet) => inRanges.map((inRange) => [...rowSet, ...named, ...where, ...inRange].join(' AND ')))
        .map((all) => `(SELECT ${columns.join(', ')} FROM ${table} WHERE ${all} ${end})`)
        .join(' UNION ALL ')
    const walk = (inRanges: readonly string[][], limit: number, columns?: string[]) => {
      const first = `ORDER BY ${order} LIMIT ${limit}`
      return `SELECT * FROM (${rows(inRanges, [], first, columns)}) AS _each ${first}`
    }
    const everywhere = [list.inRange([], [])]
    return {
      list,
      order,
      everywhere,
      matches,
      rows,
      walk,
      bind,
      /** When the response changes by itself, and how many rows are unmarked. */
      state: `${firstOf([...ends, ...dues])}::text AS until, ${unmarkedCount}::int AS unmarked`,
      /** Without an order, so that PostgreSQL finds candidates by the index that names the fewest. */
      matched(inRanges: readonly string[][], limit: number): string {
        if (!isWalk)
          return `SELECT * FROM (${rows(inRanges, [matches], 'OFFSET 0')}) AS _found ORDER BY ${order} LIMIT ${limit}`
        if (conditions.length === 0) return walk(inRanges, limit)
        return `SELECT * FROM (${walk(inRanges, MAX_ROWS_WALKED)}) AS _walked WHERE ${matches} ORDER BY ${order} LIMIT ${limit}`
      },
      /** The last row of a walk that ends early. Reads only columns that the index has. */
      stopped(inRanges: readonly string[][]): string {
        const placed = list.order.map(({ name }) => name)
        if (!isWalk || conditions.length === 0) return `SELECT ${placed.join(', ')} FROM ${table} WHERE false`
        const walked = walk(inRanges, MAX_ROWS_WALKED, placed)
        return `SELECT * FROM (${walked}) AS _walked ORDER BY ${order} OFFSET ${MAX_ROWS_WALKED - 1} LIMIT 1`
      },
      statement: (text: string) => ({ text, values }),
    }
  }

  #markIfMany(unmarked: number, { workspaceId, now }: Viewpoint): void {
    if (this.#mark !== undefined && unmarked > MANY_UNMARKED) this.#background.request(this.#mark, workspaceId, now)
  }

  async #page(viewpoint: Viewpoint, page: PageRequest): Promise<PageReading> {
    const { filters, limit, after, fields, maxText, followsDue = false, withTotal = false } = page
    const way = await this.#wayTo(viewpoint, filters)
    const prepared = this.#prepare(viewpoint, filters, way, { followsDue })
    const { list, order, everywhere, matched, stopped, statement, bind, state } = prepared
    const inRanges = rangesSql(list, after, bind)
    const rows = `JOIN vitrine.${quoted(this.#list.table.name)} AS _table USING (seq)
      CROSS JOIN LATERAL (SELECT ${fieldsSql(this.#list.table, fields, maxText)} FROM (SELECT _table.*) AS _one) AS _row`
    const placed = (selected: string) =>
      `SELECT *, row_number() OVER (ORDER BY ${order}) AS _place FROM (${selected}) AS _m`
    const onPage = placed(matched(inRanges, limit + 1))
    const isInAll = after === undefined || !withTotal
    const position = list.order.map((_, at) => `_${at}`).join(', ')
    // The row of a walk that ended early comes last, without JSON.
    const text = `
      WITH _all AS MATERIALIZED (${withTotal ? placed(matched(everywhere, MAX_COUNTED + 1)) : onPage}),
      _page AS MATERIALIZED (
        SELECT *, ${positionSql(list.order)} FROM (${isInAll ? `SELECT * FROM _all WHERE _place <= ${limit + 1}` : onPage}) AS _p),
      _total AS (SELECT count(*)::int AS found, count(*) <= ${MAX_COUNTED} AND EXISTS (${stopped(everywhere)}) AS is_cut FROM _all),
      _shown AS (
        SELECT _place, row_to_json(_row)::text AS json, ${position} FROM _page ${rows} WHERE _place <= ${limit}
        UNION ALL
        SELECT NULL, NULL, ${positionSql(list.order)} FROM (${stopped(inRanges)}) AS _stopped WHERE (SELECT count(*) FROM _page) <= ${limit})
      SELECT json, ${position}, found, is_cut AS "isCut", (SELECT count(*) FROM _page) > ${limit} AS "isMore",
             ${state},
             (SELECT number FROM vitrine.revisions WHERE workspace_id = $1)::text AS revision,
             CASE WHEN ${withTotal} AND found <= ${MAX_DIGESTED} AND NOT is_cut THEN
               (SELECT encode(sha256(convert_to(coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _place), ''), 'UTF8')), 'hex')
                FROM _all ${rows}) END AS digest
      FROM _total LEFT JOIN _shown ON true ORDER BY _place`
    const found = await this.#read<PageRow>(statement(text))
    const last = found.at(-1)
    if (last === undefined) throw new Error('a list has no total')
    this.#markIfMany(last.unmarked, viewpoint)
    const until = untilIn(last.until)
    const shown = found.filter(({ json }) => json !== null)
    const isStopped = last.json === null && last[`_${list.order.length - 1}`] !== null
    return {
      rows: shown.map(({ json }) => json as string),
      positions: shown.map((row) => positionIn(list.order, row)),
      next: last.isMore || isStopped ? positionIn(list.order, last) : undefined,
      until,
      ...(withTotal && {
        total: totalOf(last.found, !last.isCut),
        digest: last.digest ?? revisionDigest(last.revision ?? 0, until),
      }),
    }
  }

  async #counts(viewpoint: Viewpoint, request: CountRequest): Promise<CountReading> {
    const way = await this.#wayTo(viewpoint, request.filters)
    const { countBy, due, table } = this.#list
    const fields = countBy[request.by] ?? []
    const read = [...fields, ...(due === undefined ? [] : [due])]
    const { list, everywhere, matched, stopped, statement, state } = this.#prepare(viewpoint, request.filters, way, {
      followsDue: true,
      fields: read,
    })
    const value = (field: string) =>
      table.columns[field]?.kind === 'instant' ? instantSql(quotedColumn(field), 'MS') : `${quotedColumn(field)}::text`
    const [row] = await this.#read<CountRow>(
      statement(`
      WITH _all AS MATERIALIZED (${matched(everywhere, MAX_COUNTED + 1)}),
      _counted AS (SELECT * FROM _all ORDER BY ${orderSql(list.order)} LIMIT ${MAX_COUNTED}),
      _groups AS (SELECT json_build_array(json_build_array(${fields.map(value).join(', ')}), ${due === undefined ? 'NULL' : `${quotedColumn(due)} < $2::timestamptz`}, count(*)) AS one
        FROM _counted GROUP BY ${read.map(quotedColumn).join(', ')})
      SELECT count(*)::int AS found, count(*) <= ${MAX_COUNTED} AND EXISTS (${stopped(everywhere)}) AS "isCut",
             ${state},
             (SELECT json_agg(one)::text FROM _groups) AS groups FROM _all`),
    )
    if (row === undefined) throw new Error('a list has no counts')
    this.#markIfMany(row.unmarked, viewpoint)
    const groups = groupsOf(this.#list, fields, request)
    const slices = new Slices()
    for (const [i, [values, isOverdue, count]] of (JSON.parse(row.groups ?? '[]') as Counted[]).entries()) {
      groups.add(values, isOverdue === true, count)
      if (i % PAUSED_ROWS === 0) await slices.pause()
    }
    return groups.reading(totalOf(row.found, !row.isCut), untilIn(row.until))
  }

  /** Reads the first rows of the list, and the index entries next to the value. */
  async #suggest(viewpoint: Viewpoint, filter: string, value: string): Promise<string[]> {
    const fields = this.#list.suggests[filter] ?? []
    const way = await this.#wayTo(viewpoint, {})
    const { everywhere, walk, statement, bind } = this.#prepare(viewpoint, {}, way, { fields })
    const columns = fields.map((field) => `${quotedColumn(field)}::text`)
    const values = this.#list.valuesOf(filter, POSTGRES, bind(value, 'text'))
    const near = (best: string, than: string) => {
      if (values === undefined) return ''
      const { value: column, asked, index, where = [] } = values
      const others = this.#current.rows(index, [...this.#current.inOrder, ...where, `${column} ${than} _near.value`])
      return `UNION (WITH RECURSIVE _near(value, n) AS (SELECT ${asked}, 0 UNION ALL
             SELECT (SELECT ${best}(${column}) ${others}), n + 1 FROM _near WHERE value IS NOT NULL AND n < 100)
           SELECT value FROM _near WHERE value IS NOT NULL AND n > 0)`
    }
    const text = `SELECT unnest(ARRAY[${columns}]) COLLATE "C" AS value FROM (${walk(everywhere, TRIED)}) AS _first
      ${near('min', '>')} ${near('max', '<')}`
    const rows = await this.#read<{ value: string | null }>(statement(text))
    return nearest(
      value,
      rows.flatMap((row) => row.value ?? []),
    )
  }
}

interface PageRow extends Record<`_${number}`, string | null> {
  json: string | null
  found: number
  isCut: boolean
  isMore: boolean
  unmarked: number
  until: string | null
  revision: string | null
  digest: string | null
}

interface WholeRow extends Pick<PageRow, 'unmarked' | 'until'> {
  json: string
}

interface CountRow extends Pick<PageRow, 'found' | 'isCut' | 'unmarked' | 'until'> {
  groups: string | null
}

type Counted = [values: (string | null)[], isOverdue: boolean | null, count: number]

const escaped = (word: string) => word.replaceAll(/[\\%_]/g, '\\$&')
