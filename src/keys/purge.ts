import { appendAudit } from '../audit/log.ts'
import { among } from '../database/statements.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { nextTurn, UNPACED, untilDone } from '../lib/turns.ts'
import { inSlices } from './evaluate.ts'

type Store = Pick<OperatorStore, 'read' | 'transaction'>

/** Per transaction, so that other writers wait only milliseconds. */
export const BATCH_ROWS = 500

/** Also for removing callers, which changes the same records. */
export const KEY_RETENTION_LOCK = 'key retention'

/** Each transaction writes its own audit entry, so the log stays correct if the program stops or two replicas purge. */
export async function purgeKeys(store: Store, endedBeforeMs: number, actor: string, pace = UNPACED) {
  const endedBefore = isoOf(endedBeforeMs)
  const removed = new Map<string, number>()
  for await (const due of dueKeys(store, endedBefore)) {
    for (const [workspaceId, keys] of Map.groupBy(due, (key) => key.workspaceId)) {
      const entry = { workspaceId, actor, action: 'key.purged', subject: workspaceId }
      const ids = keys.map(({ id }) => id)
      await untilDone(pace, async () => {
        const purged = await store.transaction(async (tx) => {
          const count = await purgeSome(tx, ids)
          if (count) await appendAudit(tx, { ...entry, detail: { removed: count, endedBefore } })
          return count
        })
        if (purged) removed.set(workspaceId, (removed.get(workspaceId) ?? 0) + purged)
        return purged !== undefined
      })
    }
    if (pace.isStopped()) break
    // Lets requests run between slices.
    await nextTurn()
  }
  return [...removed].map(([workspaceId, count]) => ({ workspaceId, removed: count }))
}

/**
 * Includes keys of deleted workspaces: keys outlive their workspace. A key stays as long as any key that it replaced, directly
 * or not, because that key's state depends on it.
 */
function dueKeys(store: Store, endedBefore: string) {
  const hasEnded = (key: string) =>
    `CASE WHEN ${['revoked_at', 'expires_at', 'retires_at'].map((end) => `${key}.${end} < '${endedBefore}'`).join(' OR ')} THEN 1 ELSE 0 END`
  return inSlices(store, {}, (tx, which, params) =>
    tx.all<{ id: string; workspaceId: string }>(
      `SELECT k.id, k.workspace_id AS "workspaceId" FROM (SELECT k.* FROM api_keys k ${which}) AS k WHERE ${hasEnded('k')} = 1
         AND NOT EXISTS (
           WITH RECURSIVE line (replaces, ended) AS (
             SELECT p.replaces, ${hasEnded('p')} FROM api_keys p WHERE p.id = k.replaces
             UNION SELECT p.replaces, ${hasEnded('p')} FROM line CROSS JOIN api_keys p
             WHERE p.id = line.replaces AND line.ended = 1)
           SELECT 1 FROM line WHERE ended = 0)`,
      ...params,
    ),
  )
}

/** Everything that is recorded about a key, with what identifies a row. */
export const KEY_RECORDS = {
  connection_tokens: 'hash',
  key_use: 'key_id, day',
  key_incidents: 'key_id, id',
  key_callers: 'key_id, address, agent',
  request_log: 'id',
}

export const deleteBatchSql = ([table, columns]: [table: string, columns: string], where: string, limit = BATCH_ROWS) =>
  `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM ${table} WHERE ${where} LIMIT ${limit})`

/** Removes a batch of the keys' records, then the keys. Returns the number of keys removed, or undefined if not done. */
async function purgeSome(tx: Transaction, ids: readonly string[]): Promise<number | undefined> {
  // Replicas take turns. The second one finds the keys gone.
  await tx.lock(KEY_RETENTION_LOCK)
  let left = BATCH_ROWS
  for (const records of Object.entries(KEY_RECORDS)) {
    left -= await tx.run(deleteBatchSql(records, `key_id ${among(ids)}`, left), ...ids)
    if (left <= 0) return undefined
  }
  return tx.run(`DELETE FROM api_keys WHERE id ${among(ids)}`, ...ids)
}
