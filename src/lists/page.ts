import { createHash, hash } from 'node:crypto'
import { isoOf } from '../lib/instant.ts'
import { momentOf, readChanges } from './changes.ts'
import type { Row } from './column.ts'
import type { List } from './definition.ts'
import { conditionOf } from './filters.ts'
import { collect } from './matches.ts'
import type { ListPage, PageRequest, ReadScope, Total } from './query.ts'
import { MAX_COUNTED } from './query.ts'
import { type ListedRow, type ListRows, rowIn } from './rows.ts'
import { keyOf } from './sort-key.ts'
import { readHints } from './suggestions.ts'

/** The digest of a longer result is its workspace's revision, so that no digest needs more rows than the longest page. */
const MAX_DIGESTED = 100

export async function readPage(
  list: List,
  rows: ListRows,
  { workspaceId, now }: ReadScope,
  { filters, limit, after, fields, withTotal = false, followsDue = false, changes }: PageRequest,
): Promise<ListPage> {
  const condition = conditionOf(list.filters, filters)
  const until = await untilOf(list, rows, now, followsDue)
  const changed = changes && (await readChanges(list, rows, now, filters, changes))
  const read = changed?.rows ?? rows
  // One row more shows whether there is another page.
  const page = { kept: limit + 1, most: limit + 1, after }
  // Without a revision, only the rows themselves show a change.
  const content = rows.revision === undefined ? createHash('sha256') : undefined
  const onRow = ({ body }: ListedRow) => content?.update(body).update(',')
  const whole = { kept: Math.max(limit + 1, MAX_DIGESTED), most: MAX_COUNTED + 1, ...(content && { onRow }) }
  // Neither the total nor the digest of a long list needs its rows.
  const isLong = changed === undefined && Object.keys(filters).length === 0 && (rows.shown ?? 0) > MAX_DIGESTED
  const all = withTotal && !isLong ? await collect(read, condition, whole) : undefined
  const { first } = all !== undefined && after === undefined ? all : await collect(read, condition, page)
  const shown = first.slice(0, limit)
  const total = toTotal(all?.count ?? rows.shown ?? 0, rows)
  const show = projection(list, fields)
  return {
    rows: shown.map(({ body }) => show(body)),
    positions: shown.map(({ place }) => place),
    next: first.length > limit ? shown.at(-1)?.place : undefined,
    until,
    moment: changed?.until ?? momentOf(rows, now),
    ...(changed !== undefined && withTotal && { gone: await changed.gone() }),
    ...(changed === undefined && withTotal && { hints: await readHints(list, rows, filters, total) }),
    ...(withTotal && {
      total,
      digest:
        content?.digest('hex') ??
        (all !== undefined && all.count <= MAX_DIGESTED
          ? hash('sha256', all.first.map(({ body }) => show(body)).join(','), 'hex')
          : `${workspaceId} r${rows.revision}.${until}`),
    }),
  }
}

export const toTotal = (matches: number, { isCut }: ListRows): Total => ({
  count: Math.min(matches, MAX_COUNTED),
  isMinimum: matches > MAX_COUNTED || isCut,
})

/** When a response changes without a write, in milliseconds. `followsDue`: it also depends on which rows are overdue. */
export async function untilOf(list: List, rows: ListRows, now: number, followsDue: boolean): Promise<number> {
  if (rows.revision === undefined) return rows.nextShown
  // A row is not overdue yet at the moment at which it falls due.
  return followsDue ? Math.min(rows.nextShown, (await nextDue(list, rows, now)) + 1) : rows.nextShown
}

async function nextDue({ due }: List, rows: ListRows, now: number): Promise<number> {
  if (due === undefined) return Number.POSITIVE_INFINITY
  for await (const [first] of rows.walk({ from: keyOf('instant', isoOf(now)), before: keyOf('instant', null) }))
    if (first !== undefined) return Date.parse(String(rowIn(first)[due]))
  return Number.POSITIVE_INFINITY
}

/** Leaves out all but some fields. */
function projection({ fields: all }: List, fields: readonly string[] | undefined) {
  const chosen = fields && all.filter(({ name, isPublished }) => isPublished && fields.includes(name))
  return (body: string): string => {
    if (chosen === undefined) return body
    const row = JSON.parse(body) as Row
    return JSON.stringify(Object.fromEntries(chosen.map(({ name }) => [name, row[name] ?? null])))
  }
}
