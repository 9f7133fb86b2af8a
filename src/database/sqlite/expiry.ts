import type { DatabaseSync } from 'node:sqlite'
import type { UpdateSome } from '../background-updates.ts'
import { type Expiry, MANY_UNMARKED } from '../expiry.ts'
import type { OrderColumn, Range } from '../keyset.ts'
import type { SqliteRow } from '../queries.ts'
import type { SchemaObject } from '../table.ts'
import { orderSql, orderTerms } from './list.ts'
import { writeNowOrNever } from './write-lock.ts'

/** Must match the indexes word for word, or SQLite does not use them. In queries it drops IS NULL for a column that is never null. */
export const isUnhidden = ({ instant, isNullable, mark }: Expiry) =>
  isNullable ? `(${instant} IS NULL OR ${mark} = 1)` : `${mark} = 1`

/** Holds for every row that is answered, whatever its mark. */
export const hasPassed = ({ instant }: Expiry) => `(${instant} IS NULL OR ${instant} <= :now)`

const hiddenRows = ({ table, instant, mark, only, index }: Expiry, isMarked: 0 | 1) => `
  FROM ${table} INDEXED BY ${index} WHERE ${['workspace_id = :workspace', ...only].join(' AND ')} AND ${instant} IS NOT NULL AND ${mark} = ${isMarked}`

/** Their instant has passed, and they are not marked yet. */
export const unmarkedRows = (expiry: Expiry) => `${hiddenRows(expiry, 0)} AND ${expiry.instant} <= :now`

export const expirySchema = (expiry: Expiry, rest: readonly string[] = []): SchemaObject[] => {
  const { table, instant, mark, only, index } = expiry
  return [
    {
      kind: 'index',
      name: index,
      sql: `CREATE INDEX ${index} ON ${table} (${['workspace_id', mark, instant, ...rest].join(', ')})\n  WHERE ${[...only, `${instant} IS NOT NULL`].join(' AND ')}`,
    },
    marking(expiry, expiry.onInsert, 'INSERT'),
    marking(expiry, expiry.onUpdate, `UPDATE OF ${instant}`),
  ]
}

/** The mark follows every write of the instant. */
const marking = ({ table, instant, mark }: Expiry, name: string, when: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} AFTER ${when} ON ${table}
WHEN NEW.${instant} IS NOT NULL AND NEW.${mark} <> (NEW.${instant} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE ${table} SET ${mark} = 1 - ${mark} WHERE seq = NEW.seq;
END`,
})

interface ExpiryState {
  /** When the next row appears. */
  until: number
  /** Passed but not marked. Counts no further than it must. */
  unmarked: number
}

/** `nextMarked` was marked too early, because the clock was set back. */
export const stateSql = (expiry: Expiry) => {
  const next = (isMarked: 0 | 1) =>
    `(SELECT min(${expiry.instant}) ${hiddenRows(expiry, isMarked)} AND ${expiry.instant} > :now)`
  return `
  SELECT ${next(0)} AS next, ${next(1)} AS nextMarked,
         (SELECT count(*) FROM (SELECT 1 ${unmarkedRows(expiry)} LIMIT ${MANY_UNMARKED + 1})) AS unmarked`
}

export function stateIn(row: SqliteRow | undefined): ExpiryState {
  const { next = null, nextMarked = null, unmarked = 0 } = row ?? {}
  const ends = [next, nextMarked].map((at) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(String(at))))
  return { until: Math.min(...ends), unmarked: Number(unmarked) }
}

/** Without any limit, SQLite would not keep the order of the inner query. */
export const UNLIMITED = 'LIMIT -1'

interface OrderedRows extends Record<'columns' | 'from' | 'limit', string> {
  /** Those of the range and of filters, which narrow unmarked rows as they narrow the rows of `from`. */
  conditions: string
  range: Range
}

export function orderedSql(order: readonly OrderColumn[], rows: OrderedRows, merged: Expiry | undefined): string {
  const { columns, from, conditions, range, limit } = rows
  if (merged === undefined) return `SELECT ${columns} ${from}${conditions} ORDER BY ${orderSql(order, range)} ${limit}`
  const terms = orderTerms(order, range)
  const place = ['seq AS _chosen', ...terms.map((term, i) => `${term} AS _key${i}`)].join(', ')
  return `
    SELECT ${columns} FROM (
      SELECT ${place} ${from}${conditions}
      UNION ALL
      SELECT ${place} ${unmarkedRows(merged)}${conditions}
      ORDER BY ${terms.map((_, i) => `_key${i}`).join(', ')} ${limit}) CROSS JOIN ${merged.table} ON seq = _chosen`
}

export const markExpired =
  (expiry: Expiry) =>
  (db: DatabaseSync): UpdateSome => {
    const { table, mark } = expiry
    const update = db.prepare(
      `UPDATE ${table} SET ${mark} = 1 WHERE seq IN (SELECT seq ${unmarkedRows(expiry)} LIMIT :atMost)`,
    )
    return async (workspace, by, atMost) => {
      let marked = 0
      const isWritten = writeNowOrNever(db, () => {
        marked = Number(update.run({ workspace, now: new Date(by).toISOString(), atMost }).changes)
      })
      return isWritten ? marked : undefined
    }
  }
