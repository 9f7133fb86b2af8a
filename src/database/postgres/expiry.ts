import type { UpdateSome } from '../background-updates.ts'
import { type Expiry, MANY_UNMARKED } from '../expiry.ts'
import type { PostgresReads } from '../queries.ts'
import type { SchemaObject } from '../table.ts'
import { FIXED_PATH } from './table-rules.ts'

/** In all statements, $1 is the workspace and $2 is now. */

export const isUnhidden = ({ instant, mark }: Expiry) => `(${instant} IS NULL OR ${mark})`

/** Holds for every row that is answered, whatever its mark. */
export const hasPassed = ({ instant }: Expiry) => `(${instant} IS NULL OR ${instant} <= $2::timestamptz)`

/** The instant has passed, and the row is not marked yet. */
export const isUnmarked = ({ instant, mark }: Expiry) =>
  `${instant} IS NOT NULL AND NOT ${mark} AND ${instant} <= $2::timestamptz`

const rowsSql = ({ table, only }: Expiry) =>
  `FROM vitrine.${table} WHERE ${['workspace_id = $1', ...only].join(' AND ')}`

export const unmarkedRows = (expiry: Expiry) => `${rowsSql(expiry)} AND ${isUnmarked(expiry)}`

/** When the next row appears. One may have been marked too early, because the clock was set back. */
export const nextEnd = (expiry: Expiry) => {
  const { instant, mark } = expiry
  const hidden = `${rowsSql(expiry)} AND ${instant} IS NOT NULL AND ${instant} > $2::timestamptz`
  return `least((SELECT min(${instant}) ${hidden} AND NOT ${mark}),
               (SELECT min(${instant}) ${hidden} AND ${mark}))`
}

/** Counts no further than it must. */
export const unmarkedCount = (expiry: Expiry) =>
  `(SELECT count(*) FROM (SELECT ${unmarkedRows(expiry)} LIMIT ${MANY_UNMARKED + 1}) AS _seen)`

export const expirySchema = (expiry: Expiry, included: readonly string[] = []): SchemaObject[] => {
  const { table, instant, mark, only, index, markFunction, onInsert, onUpdate } = expiry
  const include = included.length === 0 ? '' : ` INCLUDE (${included.join(', ')})`
  return [
    {
      kind: 'index',
      name: index,
      sql: `CREATE INDEX ${index} ON vitrine.${table} (workspace_id, ${mark}, ${instant})${include}\n  WHERE ${[...only, `${instant} IS NOT NULL`].join(' AND ')}`,
    },
    {
      kind: 'function',
      name: markFunction,
      sql: `CREATE OR REPLACE FUNCTION vitrine.${markFunction}() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
BEGIN
  NEW.${mark} := NEW.${instant} <= clock_timestamp();
  RETURN NEW;
END $$`,
    },
    marking(expiry, onInsert, 'INSERT', `NEW.${instant} IS NOT NULL`),
    marking(
      expiry,
      onUpdate,
      `UPDATE OF ${instant}`,
      `NEW.${instant} IS DISTINCT FROM OLD.${instant} AND NEW.${instant} IS NOT NULL`,
    ),
  ]
}

/** The mark follows every write of the instant, even of replicated rows, whose publisher may have no marks. */
const marking = ({ table, markFunction }: Expiry, name: string, when: string, condition: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} BEFORE ${when} ON vitrine.${table} FOR EACH ROW
  WHEN (${condition}) EXECUTE FUNCTION vitrine.${markFunction}()`,
  enabled: 'always',
})

/** Never waits for a lock: replicas mark different rows, and skip those that a writer holds. */
export const markExpired =
  (expiry: Expiry) =>
  (update: Parameters<Parameters<PostgresReads['inBackground']>[0]>[0]): UpdateSome =>
  (workspaceId, by, atMost) =>
    update({
      name: `mark ${expiry.index}`,
      text: `
        UPDATE vitrine.${expiry.table} SET ${expiry.mark} = true WHERE seq = ANY (ARRAY (
          SELECT seq ${unmarkedRows(expiry)} LIMIT $3::int FOR UPDATE SKIP LOCKED))`,
      values: [workspaceId, new Date(by).toISOString(), atMost],
    })
