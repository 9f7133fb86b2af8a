import { setImmediate } from 'node:timers/promises'
import type { AuditRecord } from '../audit/chain.ts'
import { appendAudit } from '../audit/log.ts'
import type { Pace } from '../audit/retention.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { endOfSlice, fromSlice, type KeySlice, SLICE_KEYS } from './judged.ts'

export interface Purged {
  workspaceId: string
  /** How many keys were removed. */
  removed: number
}

type Store = Pick<OperatorStore, 'read' | 'transaction'>

/** In one transaction: a revocation beside it waits for a few milliseconds. A key has a row for each day of its use. */
const BATCH_ROWS = 500

const LOCK = 'key retention'

/**
 * Removes the keys that ended before a time, with their use, callers and incidents. One audit entry for each workspace says how many
 * are going, with the first of them; if the program ends before the last, the next run says how many were left.
 */
export async function purgeKeys(
  store: Store,
  endedBeforeMs: number,
  actor: string,
  { pause = async () => {}, isStopped = () => false }: Pace = {},
): Promise<Purged[]> {
  const endedBefore = new Date(endedBeforeMs).toISOString()
  const results: Purged[] = []
  for (let workspaceId = await nextWorkspace(store, ''); workspaceId !== null && !isStopped(); ) {
    let planned = 0
    for await (const ids of dueKeys(store, workspaceId, endedBefore)) {
      if (isStopped()) break
      planned += ids.length
    }
    let [removed, isRecorded] = [0, false]
    if (planned > 0)
      for await (const ids of dueKeys(store, workspaceId, endedBefore))
        for (let left = isStopped() ? [] : ids; left.length > 0 && !isStopped(); ) {
          const startedAt = performance.now()
          const entry = isRecorded ? undefined : { workspaceId, actor, detail: { removed: planned, endedBefore } }
          const { done, purged } = await store.transaction((tx) => purgeSome(tx, left, entry))
          left = left.slice(done)
          removed += purged
          isRecorded ||= purged > 0
          await pause(performance.now() - startedAt)
        }
    if (removed > 0) results.push({ workspaceId, removed })
    workspaceId = await nextWorkspace(store, workspaceId)
  }
  return results
}

/** A key outlives its workspace, and is removed all the same. */
const nextWorkspace = (store: Store, after: string): Promise<string | null> =>
  store.read(async (tx) => {
    const [row] = await tx.all<{ id: string | null }>(
      'SELECT min(workspace_id) AS id FROM api_keys WHERE workspace_id > ?',
      after,
    )
    return row?.id ?? null
  })

/** A slice at a time, in the order of creation. A key stays while any that it descends from by rotation does: that one's state needs it. */
async function* dueKeys(store: Store, workspaceId: string, endedBefore: string): AsyncGenerator<string[]> {
  const slice: KeySlice = { workspaceId, isOldestFirst: true }
  const hasEnded = (key: string) =>
    `CASE WHEN ${['revoked_at', 'expires_at', 'retires_at'].map((end) => `${key}.${end} < '${endedBefore}'`).join(' OR ')} THEN 1 ELSE 0 END`
  do {
    yield await store.read(async (tx) => {
      const { sql, params } = fromSlice(slice, `LIMIT ${SLICE_KEYS}`)
      const rows = await tx.all<{ id: string }>(
        `SELECT k.id FROM (SELECT k.* ${sql}) AS k WHERE ${hasEnded('k')} = 1
           AND NOT EXISTS (
             WITH RECURSIVE line (replaces, ended) AS (
               SELECT p.replaces, ${hasEnded('p')} FROM api_keys p WHERE p.id = k.replaces
               UNION SELECT p.replaces, ${hasEnded('p')} FROM line CROSS JOIN api_keys p
               WHERE p.id = line.replaces AND line.ended = 1)
             SELECT 1 FROM line WHERE ended = 0)`,
        ...params,
      )
      slice.after = await endOfSlice(tx, slice)
      return rows.map(({ id }) => id)
    })
    // Requests come between two slices.
    await setImmediate()
  } while (slice.after !== undefined)
}

interface Some {
  /** How many of the given keys are done with. */
  done: number
  /** How many of them were still there. */
  purged: number
}

/** As many rows as fit into one transaction, a key after all that was recorded of it; with the entry, if any key goes. */
async function purgeSome(
  tx: Transaction,
  ids: readonly string[],
  entry: Pick<AuditRecord, 'workspaceId' | 'actor' | 'detail'> | undefined,
): Promise<Some> {
  // Replicas take turns: the second finds that these are gone.
  await tx.lock(LOCK)
  const some = await removeSome(tx, ids)
  if (entry !== undefined && some.purged > 0)
    await appendAudit(tx, {
      ...entry,
      at: new Date(tx.nowMs).toISOString(),
      action: 'key.purged',
      subject: entry.workspaceId,
    })
  return some
}

async function removeSome(tx: Transaction, ids: readonly string[]): Promise<Some> {
  let [rows, purged] = [0, 0]
  for (const [done, id] of ids.entries()) {
    for (const [table, column] of [
      ['key_use', 'day'],
      ['key_incidents', 'id'],
      ['key_callers', 'address'],
    ]) {
      if (rows >= BATCH_ROWS) return { done, purged }
      const few = `SELECT ${column} FROM ${table} WHERE key_id = ? LIMIT ${BATCH_ROWS - rows}`
      rows += await tx.run(`DELETE FROM ${table} WHERE key_id = ? AND ${column} IN (${few})`, id, id)
    }
    if (rows >= BATCH_ROWS) return { done, purged }
    const gone = await tx.run('DELETE FROM api_keys WHERE id = ?', id)
    purged += gone
    rows += gone
  }
  return { done: ids.length, purged }
}
