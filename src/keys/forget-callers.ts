import type { OperatorStore } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { UNPACED, untilDone } from '../lib/turns.ts'
import { KEY_RETENTION_LOCK } from './purge.ts'
import { BATCH_ROWS } from './request-log.ts'

/** Where callers are recorded: what identifies a row and orders the table, how the caller is removed from it, and which rows have one. */
const RECORDS = [
  {
    table: 'key_callers',
    place: ['key_id', 'address', 'agent'],
    forget: 'DELETE FROM key_callers',
    has: '1 = 1',
  },
  {
    table: 'key_use',
    place: ['key_id', 'day'],
    forget: 'UPDATE key_use SET first_client = NULL, last_client = NULL',
    has: '(first_client IS NOT NULL OR last_client IS NOT NULL)',
  },
  {
    table: 'key_incidents',
    place: ['id'],
    forget: 'UPDATE key_incidents SET client = NULL',
    has: 'client IS NOT NULL',
  },
] as const

/** Removes addresses and names of callers that were last seen before this time, and returns how many records had them. Counts stay. */
export async function forgetCallers(
  store: Pick<OperatorStore, 'read' | 'transaction'>,
  lastSeenBeforeMs: number,
  pace = UNPACED,
): Promise<number> {
  const before = isoOf(lastSeenBeforeMs)
  let forgotten = 0
  for (const { table, place, forget, has } of RECORDS) {
    const columns = place.join(', ')
    const marks = place.map(() => '?').join(', ')
    let after: (string | number)[] = []
    await untilDone(pace, async () => {
      const from = after.length === 0 ? '1 = 1' : `(${columns}) > (${marks})`
      const { last, due, isDue } = await store.read(async (tx) => {
        const [end] = await tx.all<Record<string, string | number>>(
          `SELECT ${columns} FROM ${table} WHERE ${from} ORDER BY ${columns} LIMIT 1 OFFSET ${BATCH_ROWS - 1}`,
          ...after,
        )
        const last = end === undefined ? [] : place.map((column) => end[column] ?? '')
        const to = end === undefined ? '' : ` AND (${columns}) <= (${marks})`
        const due = `${from}${to} AND last_at < ? AND ${has}`
        const dueRows = await tx.all(`SELECT 1 FROM ${table} WHERE ${due} LIMIT 1`, ...after, ...last, before)
        return { last, due, isDue: dueRows.length > 0 }
      })
      if (isDue)
        forgotten += await store.transaction(async (tx) => {
          // Replicas take turns. The second one finds nothing left.
          await tx.lock(KEY_RETENTION_LOCK)
          return tx.run(`${forget} WHERE ${due}`, ...after, ...last, before)
        })
      after = last
      return last.length === 0
    })
  }
  return forgotten
}
