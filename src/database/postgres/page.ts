import type { QueryConfig } from 'pg'
import { MANY_UNMARKED } from '../expiry.ts'
import { type OrderColumn, rangesAfter } from '../keyset.ts'
import type { PageReading, PageRequest, PostgresReads, Read, Viewpoint } from '../queries.ts'
import { quoted } from '../table.ts'
import { markExpired, unmarkedCount } from './expiry.ts'
import {
  fieldsSql,
  onePositionSql,
  orderSql,
  positionIn,
  positionParameters,
  rangeConditions,
  statementNames,
  untilIn,
} from './list.ts'
import type { ListSql, QuestionedList } from './questions.ts'

/** A list whose pages are read from indexes, in one statement. */
type PagedList = Pick<QuestionedList, 'table' | 'open' | 'expiry'> & {
  limit: number
}

interface Row {
  json: string
  count: number
  until: string | null
  unmarked: number
}

export function pageReader(list: PagedList, { read, inBackground }: PostgresReads): Read<PageRequest, PageReading> {
  const marks = list.expiry && inBackground(markExpired(list.expiry))
  const named = statementNames(`list ${list.table.name}`)
  return async (viewpoint, page) => {
    const { text, values, order } = pageStatement(list, viewpoint, page)
    const [row] = await read<Row>({ ...named(text, page), values })
    const { json = '', count = 0, until = null, unmarked = 0 } = row ?? {}
    if (unmarked > MANY_UNMARKED) marks?.request(viewpoint.workspaceId, viewpoint.now)
    const [before, end] = page.around ?? ['', '']
    return {
      rows: Buffer.from(before + json + end),
      next: row !== undefined && count > page.limit ? positionIn(order, { ...row }) : undefined,
      until: untilIn(until),
    }
  }
}

type Statement = Required<Pick<QueryConfig, 'text' | 'values'>> & { order: readonly OrderColumn[] }

/** Exported for tests of its plan. */
export function pageStatement(list: PagedList, { workspaceId, now }: Viewpoint, page: PageRequest): Statement {
  const { filters, limit, findNext, after } = page
  const values: unknown[] = [workspaceId, new Date(now).toISOString(), limit, findNext ? limit + 1 : limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const rows = list.open(filters, bind, {})
  const { order } = rows
  const position = positionParameters(order, after, bind)
  const inRanges = rangesAfter(order, after).map((range) => [
    ...rows.inRange(range, position),
    ...rangeConditions(order, range, position),
  ])
  return { text: statement(list, page, rows, inRanges), values, order }
}

/**
 * Of each range the first rows are read: as many as a page can need, by a number in the text, because PostgreSQL expects a tenth of
 * the table if it does not know how many. The unmarked are found by their instant before anything else (OFFSET 0 keeps it so).
 * Our own names start with an underscore, which no column of a field does.
 */
function statement(
  { table, expiry, limit }: PagedList,
  { fields, maxText }: PageRequest,
  { order, sources: [inOrder = [], ...others], until }: ListSql,
  inRanges: string[][],
): string {
  const from = `FROM vitrine.${quoted(table.name)}`
  const place = order.map(({ name }) => name).join(', ')
  const first = `ORDER BY ${orderSql(order)} LIMIT ${limit + 1}`
  const inAny = inRanges.map((inRange) => ['true', ...inRange].join(' AND ')).join(' OR ')
  const picked = [
    ...inRanges.map((inRange) => `(SELECT ${place} ${from} WHERE ${[...inOrder, ...inRange].join(' AND ')} ${first})`),
    ...others.map(
      (source) =>
        `(SELECT ${place} FROM (SELECT ${place} ${from} WHERE ${source.join(' AND ')} OFFSET 0) AS _few WHERE ${inAny} ${first})`,
    ),
  ]
  return `
  WITH _picked AS (
    ${picked.join('\n    UNION ALL\n    ')})
  SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _place) FILTER (WHERE _place <= $3::int), '') AS json,
         count(*) AS count, ${onePositionSql(order, quoted(table.name), '_place = $3::int')},
         (${until})::text AS until, ${expiry === undefined ? 0 : unmarkedCount(expiry)} AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY ${orderSql(order)}) AS _place FROM _picked
        ORDER BY ${orderSql(order)} LIMIT $4::int) AS _chosen
  JOIN vitrine.${quoted(table.name)} USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql(table, fields, maxText)}) AS _row`
}
