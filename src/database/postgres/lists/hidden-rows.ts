import type { QueryConfig } from 'pg'
import { isoOf } from '../../../lib/instant.ts'
import type { UpdateSome } from '../../lists/background-updates.ts'
import { type HiddenRows, quoted, type SchemaObject, type Table } from '../../table.ts'

/** A caller that could set the search path could change what a function does. */
export const FIXED_PATH = 'SET search_path = pg_catalog, vitrine, pg_temp'

export function hiddenRowsSchema({ name: table, listing }: Table): SchemaObject[] {
  const { only = [], hidden, sqlName = quoted } = listing
  if (hidden === undefined) return []
  const { instant, mark, index, markFunction, onInsert, onUpdate, included } = hidden
  const on = `ON vitrine.${sqlName(table)}`
  const include = included === undefined ? '' : ` INCLUDE (${[...included, 'seq'].join(', ')})`
  /** Every write of the instant updates the mark. */
  const marking = (name: string, when: string, condition: string): SchemaObject => ({
    kind: 'trigger',
    name,
    sql: `CREATE TRIGGER ${name} BEFORE ${when} ${on} FOR EACH ROW
  WHEN (${condition}) EXECUTE FUNCTION vitrine.${markFunction}()`,
  })
  return [
    {
      kind: 'index',
      name: index,
      sql: `CREATE INDEX ${index} ${on} (workspace_id, ${mark}, ${instant})${include}\n  WHERE ${[...only, `${instant} IS NOT NULL`].join(' AND ')}`,
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
    marking(onInsert, 'INSERT', `NEW.${instant} IS NOT NULL`),
    marking(
      onUpdate,
      `UPDATE OF ${instant}`,
      `NEW.${instant} IS DISTINCT FROM OLD.${instant} AND NEW.${instant} IS NOT NULL`,
    ),
  ]
}

/**
 * Never waits for a lock: replicas mark different rows, and skip those that a writer holds. `unmarkedRows` is the FROM and WHERE of the
 * rows to mark.
 */
export const markShown =
  (
    table: string,
    { mark, index }: HiddenRows,
    unmarkedRows: string,
    update: (statement: QueryConfig) => Promise<number>,
  ): UpdateSome =>
  (workspaceId, by, atMost) =>
    update({
      name: `mark ${index}`,
      text: `
        UPDATE vitrine.${quoted(table)} SET ${mark} = true WHERE seq = ANY (ARRAY (
          SELECT seq ${unmarkedRows} LIMIT $3::int FOR UPDATE SKIP LOCKED))`,
      values: [workspaceId, isoOf(by), atMost],
    })
