import type { OperatorStore, Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { nextTurn } from '../lib/turns.ts'
import { UserError } from '../lib/user-error.ts'
import { appendAudit, chainHead, ENTRY, PRUNED, type StoredEntry, trimChain } from './log.ts'
import { type ChainFault, ChainVerifier } from './verify.ts'

export interface PrunedChain {
  workspaceId: string
  removed: number
  /** The last number removed, or 0. */
  through: number
  /** If an old entry does not fit, all entries are evidence, so they stay. */
  fault: ChainFault | null
}

type Store = Pick<OperatorStore, 'read' | 'transaction'>

/** Per read, so that requests wait only a few milliseconds. */
const BATCH_ENTRIES = 250

const LOCK = 'audit retention'

/** What a clock that is ahead writes counts only later, which leaves time to notice it. */
const SETTLED_MS = 7 * DAY_MS
/** A service that was idle for longer looks like a clock that is ahead. */
const QUIET_MS = 30 * DAY_MS

/** The time by which the age of records is judged. Throws if the clock may be far ahead, because what it removed would be gone. */
export async function retentionTime(tx: Transaction): Promise<number> {
  const settled = isoOf(tx.nowMs - SETTLED_MS)
  const [entry] = await tx.all<{ at: string | null }>(
    `SELECT max(last) AS at FROM (
       SELECT (SELECT max(at) FROM audit a WHERE a.workspace_id = h.workspace_id AND a.at < ?) AS last FROM audit_heads h) AS each_chain`,
    settled,
  )
  const sql = 'SELECT max(day) AS at FROM key_use WHERE day < ?'
  const [use] = await tx.all<{ at: string | null }>(sql, settled.slice(0, 10))
  const seen = [entry?.at, use?.at].flatMap((at) => (at ? Date.parse(at) : []))
  // Without older records there is nothing to remove.
  if (seen.length > 0 && Math.max(...seen) < tx.nowMs - SETTLED_MS - QUIET_MS)
    throw new UserError(
      `nothing was removed: the clock may be ahead, because nothing was recorded since ${isoOf(Math.max(...seen))}; if it is right, try again after a week of use`,
    )
  return tx.nowMs
}

/** Verifies the old entries of each chain, then records their removal and removes them, in one transaction per workspace. */
export async function pruneAudit(store: Store, beforeMs: number, isStopped = () => false): Promise<PrunedChain[]> {
  const before = isoOf(beforeMs)
  const { now, due } = await store.read(async (tx) => ({
    now: isoOf(tx.nowMs),
    // Entries that record a removal do not cause another one.
    due: await tx.all<{ workspaceId: string }>(
      `SELECT workspace_id AS "workspaceId" FROM audit_heads h WHERE EXISTS (
         SELECT 1 FROM audit a WHERE a.workspace_id = h.workspace_id AND a.at < ? AND a.action <> ?) ORDER BY 1`,
      ...[before, PRUNED],
    ),
  }))
  const results: PrunedChain[] = []
  for (const { workspaceId } of due) {
    if (isStopped()) break
    const { last, fault } = await findDue(store, workspaceId, { before, now })
    const removed = last === undefined ? 0 : await prune(store, workspaceId, last, before)
    if (removed > 0 || fault !== null)
      results.push({ workspaceId, removed, through: removed && (last?.number ?? 0), fault })
  }
  return results
}

/** Finds the last old entry. Earlier entries are removed too, even those that a fast clock dated in the future. */
async function findDue(store: Store, workspaceId: string, { before, now }: { before: string; now: string }) {
  const head = await store.read((tx) => chainHead(tx, workspaceId))
  // A purge marks all entries of a deleted workspace as removed, and then deletes them in batches.
  if (head === undefined || head.trimmedNumber >= head.number) return NONE
  const verifier = new ChainVerifier(head)
  let last: StoredEntry | undefined
  for (let after = head.trimmedNumber; ; after += BATCH_ENTRIES) {
    const { start, entries } = await store.read(async (tx) => ({
      start: (await chainHead(tx, workspaceId))?.trimmedNumber,
      entries: await tx.all<StoredEntry>(NEXT_ENTRIES, workspaceId, after, head.number, BATCH_ENTRIES),
    }))
    // Another replica removed entries in the meantime.
    if (start !== head.trimmedNumber) return NONE
    for (const entry of entries) {
      if (entry.at >= before && entry.at <= now) return { last, fault: null }
      if (!verifier.add(entry)) return { last: undefined, fault: verifier.report(workspaceId).fault }
      if (entry.at < before) last = entry
    }
    if (entries.length < BATCH_ENTRIES) {
      const { fault } = verifier.report(workspaceId)
      return { last: fault === null ? last : undefined, fault }
    }
    // Lets requests run between batches.
    await nextTurn()
  }
}

const NONE = { last: undefined, fault: null }

const NEXT_ENTRIES = `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?`

/** Returns how many entries it removed. */
const prune = (store: Store, workspaceId: string, { number: through, hash }: StoredEntry, before: string) =>
  store.transaction(async (tx) => {
    // Replicas take turns: the second one finds nothing left.
    await tx.lock(LOCK)
    // A purged workspace has no head.
    const removed = through - ((await chainHead(tx, workspaceId))?.trimmedNumber ?? through)
    if (removed <= 0) return 0
    await trimChain(tx, workspaceId, through)
    const detail = { removed, through, hash, before }
    await appendAudit(tx, { workspaceId, actor: 'retention', action: PRUNED, subject: workspaceId, detail })
    return removed
  })
