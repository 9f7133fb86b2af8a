import type { OperatorStore, Transaction } from '../database/store.ts'
import {
  appendAudit,
  BEGINNING,
  chainEntries,
  chainHead,
  PRUNED,
  trimChain,
  workspaceIdsWithEntriesBefore,
} from './log.ts'
import { type ChainFault, firstFault } from './verify.ts'

/** What was removed from one chain because of its age. */
export interface Pruned {
  workspaceId: string
  removed: number
  /** The number of the last one removed; 0 if none was. */
  through: number
  /** What does not fit: such entries are evidence, and stay. */
  fault: ChainFault | null
}

interface Pace {
  /** Called between two transactions, with how long the last one took. */
  pause?: (tookMs: number) => Promise<void>
  isStopped?: () => boolean
}

type Store = Pick<OperatorStore, 'read' | 'transaction'>

/** In one transaction: a writer beside it waits for a few milliseconds, and a thread that serves requests is not held up longer. */
const BATCH_ENTRIES = 250

const LOCK = 'audit retention'

/** Removes all entries that are older, oldest first. Each batch leaves a chain that verifies: it may end between any two. */
export async function pruneAudit(
  store: Store,
  retentionMs: number,
  { pause = async () => {}, isStopped = () => false }: Pace = {},
): Promise<Pruned[]> {
  const due = (tx: Transaction) => workspaceIdsWithEntriesBefore(tx, startOfRetention(tx, retentionMs))
  const results: Pruned[] = []
  for (const workspaceId of await store.read(due)) {
    const total: Pruned = { workspaceId, removed: 0, through: 0, fault: null }
    for (let isDone = false; !isDone && !isStopped(); ) {
      const startedAt = performance.now()
      const batch = await store.transaction((tx) => pruneSome(tx, workspaceId, retentionMs))
      total.removed += batch.removed
      total.through = Math.max(total.through, batch.through)
      total.fault = batch.fault
      isDone = batch.removed < BATCH_ENTRIES
      if (!isDone) await pause(performance.now() - startedAt)
    }
    if (total.removed > 0 || total.fault !== null) results.push(total)
  }
  return results
}

const startOfRetention = ({ nowMs }: Transaction, retentionMs: number) => new Date(nowMs - retentionMs).toISOString()

async function pruneSome(
  tx: Transaction,
  workspaceId: string,
  retentionMs: number,
): Promise<Omit<Pruned, 'workspaceId'>> {
  // Replicas take turns: the second finds nothing left to remove.
  await tx.lock(LOCK)
  const before = startOfRetention(tx, retentionMs)
  const head = await chainHead(tx, workspaceId)
  const entries = await chainEntries(tx, workspaceId, BEGINNING, BATCH_ENTRIES)
  const firstKept = entries.findIndex(({ at }) => at >= before)
  const due = firstKept === -1 ? entries : entries.slice(0, firstKept)
  const last = due.at(-1)
  if (last === undefined) return { removed: 0, through: 0, fault: null }
  const fault = firstFault(due, head)
  if (fault !== null) return { removed: 0, through: 0, fault }
  await trimChain(tx, workspaceId, last)
  await appendAudit(tx, {
    at: new Date(tx.nowMs).toISOString(),
    workspaceId,
    actor: 'retention',
    action: PRUNED,
    subject: workspaceId,
    detail: { removed: due.length, through: last.number, hash: last.hash, before },
  })
  return { removed: due.length, through: last.number, fault: null }
}
