import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'

type Store = Pick<OperatorStore, 'read' | 'transaction'>

const KEY_RETENTION_LOCK = 'key retention'

/** Everything that is recorded about a key, by its `key_id`. */
export const KEY_RECORDS = ['connection_tokens', 'key_use', 'request_log']

/**
 * Each workspace's transaction writes its audit entry, so the log stays correct if the program stops or two replicas purge.
 * Includes keys of deleted workspaces: keys outlive their workspace.
 */
export async function purgeKeys(store: Store, endedBeforeMs: number, actor: string) {
  const endedBefore = isoOf(endedBeforeMs)
  const isDue = isDueSql(endedBefore)
  const due = await store.read((tx) =>
    tx.all<{ workspaceId: string }>(`SELECT DISTINCT workspace_id AS "workspaceId" FROM api_keys k WHERE ${isDue}`),
  )
  const results: { workspaceId: string; removed: number }[] = []
  for (const { workspaceId } of due) {
    const removed = await store.transaction(async (tx) => {
      // Replicas take turns. The second one finds the keys gone.
      await tx.lock(KEY_RETENTION_LOCK)
      const removed = await purge(tx, workspaceId, isDue)
      const entry = { workspaceId, actor, action: 'key.purged', subject: workspaceId }
      if (removed > 0) await appendAudit(tx, { ...entry, detail: { removed, endedBefore } })
      return removed
    })
    if (removed > 0) results.push({ workspaceId, removed })
  }
  return results
}

async function purge(tx: Transaction, workspaceId: string, isDue: string): Promise<number> {
  const due = `SELECT id FROM api_keys k WHERE workspace_id = ? AND ${isDue}`
  for (const table of KEY_RECORDS) await tx.run(`DELETE FROM ${table} WHERE key_id IN (${due})`, workspaceId)
  return tx.run(`DELETE FROM api_keys WHERE id IN (${due})`, workspaceId)
}

/** A key stays as long as any key that it replaced, directly or not, because that key's state depends on it. */
function isDueSql(endedBefore: string): string {
  const hasEnded = (key: string) =>
    `CASE WHEN ${['revoked_at', 'expires_at', 'retires_at'].map((end) => `${key}.${end} < '${endedBefore}'`).join(' OR ')} THEN 1 ELSE 0 END`
  return `${hasEnded('k')} = 1 AND NOT EXISTS (
    WITH RECURSIVE line (replaces, ended) AS (
      SELECT p.replaces, ${hasEnded('p')} FROM api_keys p WHERE p.id = k.replaces
      UNION SELECT p.replaces, ${hasEnded('p')} FROM line CROSS JOIN api_keys p
      WHERE p.id = line.replaces AND line.ended = 1)
    SELECT 1 FROM line WHERE ended = 0)`
}
