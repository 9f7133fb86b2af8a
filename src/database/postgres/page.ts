import { currentSql, MANY_UNMARKED } from '../expiry.ts'
import type { PostgresReads, QuestionedList, Read, WholeBody } from '../queries.ts'
import { quoted } from '../table.ts'
import { markExpired } from './expiry.ts'
import { fieldsSql, firstOf, orderSql, POSTGRES, rowSetsOf, untilIn } from './list.ts'

interface Row {
  json: string
  until: string | null
  unmarked: number
}

/** Uses a statement that is planned once. */
export function wholeReader(
  list: QuestionedList,
  { limit, before, after }: WholeBody,
  { read, update, background }: PostgresReads,
): Read<object> {
  const { unmarkedRows = '' } = currentSql(list, POSTGRES)
  const mark = list.expiry && markExpired(list.expiry, unmarkedRows, update)
  const statement = { name: `list ${list.table.name}`, text: wholeSql(list, limit) }
  return async ({ workspaceId, now }) => {
    const [row] = await read<Row>({ ...statement, values: [workspaceId, new Date(now).toISOString()] })
    const { json = '', until = null, unmarked = 0 } = row ?? {}
    if (mark !== undefined && unmarked > MANY_UNMARKED) background.request(mark, workspaceId, now)
    return { body: Buffer.from(before + json + after), until: untilIn(until) }
  }
}

/**
 * The limit is part of the text: for a parameter, PostgreSQL would assume a tenth of the table. OFFSET 0 ensures that unmarked
 * rows are first found by their instant. Our own names start with an underscore, which no field's column does.
 */
function wholeSql(list: QuestionedList, limit: number): string {
  const { table } = list
  const { ends, unmarkedCount } = currentSql(list, POSTGRES)
  const filtered = list.open({}, POSTGRES, () => '')
  const { order } = filtered
  const from = `FROM vitrine.${quoted(table.name)}`
  const place = order.map(({ name }) => name).join(', ')
  const first = `ORDER BY ${orderSql(order)} LIMIT ${limit}`
  const picked = rowSetsOf(list, filtered).map((rowSet, i) => {
    const rows = `SELECT ${place} ${from} WHERE ${rowSet.join(' AND ')}`
    return i === 0 ? `(${rows} ${first})` : `(SELECT ${place} FROM (${rows} OFFSET 0) AS _few ${first})`
  })
  return `
  SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _place), '') AS json,
         ${firstOf(ends)}::text AS until, ${unmarkedCount} AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY ${orderSql(order)}) AS _place
        FROM (${picked.join(' UNION ALL ')}) AS _picked ${first}) AS _chosen
  JOIN vitrine.${quoted(table.name)} USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql(table)}) AS _row`
}
