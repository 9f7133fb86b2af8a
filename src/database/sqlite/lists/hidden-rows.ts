import type { DatabaseSync } from 'node:sqlite'
import { isoOf } from '../../../lib/instant.ts'
import type { UpdateSome } from '../../lists/background-updates.ts'
import { type HiddenRows, quoted, type SchemaObject, type Table } from '../../table.ts'
import { prepareIndexed } from '../faults.ts'
import { writeNowOrNever } from '../write-lock.ts'
import type { SqliteRow } from './sliced-reads.ts'

export function hiddenRowsSchema({ name: table, listing }: Table): SchemaObject[] {
  const { only = [], hidden, sqlName = quoted } = listing
  if (hidden === undefined) return []
  const { instant, mark, index, included = [], onInsert, onUpdate } = hidden
  const on = `ON ${sqlName(table)}`
  /** The mark is updated with every write of the instant. */
  const marking = (name: string, when: string): SchemaObject => ({
    kind: 'trigger',
    name,
    sql: `CREATE TRIGGER ${name} AFTER ${when} ${on}
WHEN NEW.${instant} IS NOT NULL AND NEW.${mark} <> (NEW.${instant} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE ${sqlName(table)} SET ${mark} = 1 - ${mark} WHERE seq = NEW.seq;
END`,
  })
  return [
    {
      kind: 'index',
      name: index,
      sql: `CREATE INDEX ${index} ${on} (${['workspace_id', mark, instant, ...included].join(', ')})\n  WHERE ${[...only, `${instant} IS NOT NULL`].join(' AND ')}`,
    },
    marking(onInsert, 'INSERT'),
    marking(onUpdate, `UPDATE OF ${instant}`),
  ]
}

/** When the first of the ends comes, and so the list changes by itself; and how many rows are unmarked. */
export const nextChangeSql = ({ ends, unmarkedCount }: { ends: readonly string[]; unmarkedCount: string }) =>
  `SELECT ${[...ends.map((end, i) => `${end} AS _${i}`), `${unmarkedCount} AS unmarked`].join(', ')}`

export function nextChangeIn({ unmarked = 0, ...ends }: SqliteRow = {}): { until: number; unmarked: number } {
  const times = Object.values(ends).map((end) => (end === null ? Number.POSITIVE_INFINITY : Date.parse(String(end))))
  return { until: Math.min(...times), unmarked: Number(unmarked) }
}

/** Marks rows whose instant has passed, which `unmarkedRows` selects. */
export function markShown(table: string, { mark }: HiddenRows, unmarkedRows: string, db: DatabaseSync): UpdateSome {
  const sql = `UPDATE ${quoted(table)} SET ${mark} = 1 WHERE seq IN (SELECT seq ${unmarkedRows} LIMIT :atMost)`
  const update = prepareIndexed(db, sql)
  return async (workspace, by, atMost) => {
    let marked = 0
    const isWritten = writeNowOrNever(db, () => {
      marked = Number(update.run({ workspace, now: isoOf(by), atMost }).changes)
    })
    return isWritten ? marked : undefined
  }
}
