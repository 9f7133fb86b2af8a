import { currentSql } from '../expiry.ts'
import type { QuestionedList } from '../queries.ts'
import { quoted } from '../table.ts'
import { fieldsSql, firstOf, orderSql, POSTGRES, sourcesOf } from './list.ts'

/**
 * The limit is a number in the text, because PostgreSQL expects a tenth of the table if it does not know it. The unmarked are
 * found by their instant before anything else (OFFSET 0 keeps it so). Our own names start with an underscore, which no column
 * of a field does.
 */
export function wholeSql(list: QuestionedList): string {
  const { table, limit } = list
  const { ends, unmarkedCount } = currentSql(list, POSTGRES)
  const filtered = list.open({}, POSTGRES, () => '')
  const { order } = filtered
  const from = `FROM vitrine.${quoted(table.name)}`
  const place = order.map(({ name }) => name).join(', ')
  const first = `ORDER BY ${orderSql(order)} LIMIT ${limit}`
  const picked = sourcesOf(list, filtered).map((source, i) => {
    const rows = `SELECT ${place} ${from} WHERE ${source.join(' AND ')}`
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
