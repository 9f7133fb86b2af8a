import { currentSql } from '../../lists/hidden-rows.ts'
import type { QueryableList } from '../../lists/reader.ts'
import { quoted } from '../../table.ts'
import { fieldsSql, firstOf, orderSql, POSTGRES, rowSetsOf } from './list.ts'

/**
 * The limit is part of the text: for a parameter, PostgreSQL would assume a tenth of the table. OFFSET 0 ensures that unmarked
 * rows are first found by their instant. Our own names start with an underscore, which no field's column does.
 */
export function firstRowsSql(list: QueryableList): string {
  const { table } = list
  const { ends, unmarkedCount } = currentSql(table, POSTGRES)
  const filtered = list.compileFilters({}, POSTGRES, () => '')
  const { order } = filtered
  const from = `FROM vitrine.${quoted(table.name)}`
  const position = order.map(({ name }) => name).join(', ')
  const first = `ORDER BY ${orderSql(order)} LIMIT ${table.listing.limit}`
  const picked = rowSetsOf(table, filtered).map((rowSet, i) => {
    const rows = `SELECT ${position} ${from} WHERE ${rowSet.join(' AND ')}`
    return i === 0 ? `(${rows} ${first})` : `(SELECT ${position} FROM (${rows} OFFSET 0) AS _few ${first})`
  })
  return `
  SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _number), '') AS json,
         ${firstOf(ends)}::text AS until, ${unmarkedCount} AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY ${orderSql(order)}) AS _number
        FROM (${picked.join(' UNION ALL ')}) AS _picked ${first}) AS _chosen
  JOIN vitrine.${quoted(table.name)} USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql(table)}) AS _row`
}
