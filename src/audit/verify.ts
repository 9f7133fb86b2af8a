import type { Transaction } from '../database/store.ts'
import {
  type AuditLink,
  type ChainHead,
  chainHead,
  ENTRY,
  hashOf,
  type Prune,
  pruneOf,
  type StoredEntry,
} from './log.ts'

type ChainFaultKind = 'changed' | 'missing' | 'inserted' | 'unlinked' | 'cut off' | 'no head'

/** The first entry that does not fit. For a missing entry, only its number is known. */
export interface ChainFault {
  kind: ChainFaultKind
  number: number
  entry: StoredEntry | null
  message: string
}

export type ChainReport = ReturnType<ChainVerifier['report']>

export type ExpectedEntry = Pick<AuditLink, 'number' | 'hash'>

interface LastEntry extends ExpectedEntry {
  prune: Prune | undefined
}

const startOf = (head: ChainHead | undefined): LastEntry => ({
  number: head?.trimmedNumber ?? 0,
  hash: head?.trimmedHash ?? '',
  prune: undefined,
})

/** Verifies one chain. */
export class ChainVerifier {
  readonly #head: ChainHead | undefined
  readonly #expected: ExpectedEntry | undefined
  #last: LastEntry
  #entry: StoredEntry | null = null
  #fault: ChainFault | null = null

  constructor(head: ChainHead | undefined, expected?: ExpectedEntry) {
    this.#head = head
    this.#expected = expected
    this.#last = startOf(head)
  }

  /** True if this entry and all earlier ones fit. */
  add(entry: StoredEntry): boolean {
    this.#fault ??= faultOf(entry, this.#last, this.#head) ?? faultOfRewrite(entry, this.#expected)
    if (this.#fault !== null) return false
    const { number, hash } = entry
    this.#last = { number, hash, prune: pruneOf(entry) ?? this.#last.prune }
    this.#entry = entry
    return true
  }

  /** After the last entry. `entries` counts those that fit, up to the first fault. */
  report(workspaceId: string) {
    const [head, last] = [this.#head, this.#last]
    const fault =
      this.#fault ??
      faultOfEnd(last, this.#entry, head) ??
      faultOfBeginning(head, last.prune) ??
      faultOfAbsence(startOf(head), last, this.#expected)
    return { workspaceId, entries: last.number - startOf(head).number, head, prune: last.prune, fault }
  }
}

/** Call this within a single `read`. */
export async function verifyChain(
  tx: Transaction,
  workspaceId: string,
  expected?: ExpectedEntry,
): Promise<ChainReport> {
  const verifier = new ChainVerifier(await chainHead(tx, workspaceId), expected)
  const sql = `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? ORDER BY number, id`
  for await (const batch of tx.batches<StoredEntry>(sql, workspaceId)) for (const entry of batch) verifier.add(entry)
  return verifier.report(workspaceId)
}

/** Includes deleted workspaces that still have entries. */
export async function verifyEveryChain(tx: Transaction, workspaceIds: Iterable<string>): Promise<ChainReport[]> {
  const sql = 'SELECT workspace_id AS id FROM audit_heads UNION SELECT workspace_id FROM audit ORDER BY 1'
  const known = await tx.all<{ id: string }>(sql)
  const reports: ChainReport[] = []
  for (const id of new Set([...workspaceIds, ...known.map(({ id }) => id)])) reports.push(await verifyChain(tx, id))
  return reports
}

function faultOf(entry: StoredEntry, last: ExpectedEntry, head: ChainHead | undefined): ChainFault | null {
  const { number } = entry
  const fault = (kind: ChainFaultKind, message: string) => faultAt(kind, number, message, entry)
  if (head === undefined) return noHead(number, entry)
  if (number > last.number + 1) return missing(last.number + 1, number - 1)
  if (number === last.number) return fault('inserted', `there are two entries ${number}`)
  if (number < last.number) return fault('inserted', `the chain begins with entry ${last.number + 1}`)
  if (hashOf(entry) !== entry.hash) return changed(entry)
  if (entry.previousHash !== last.hash)
    return fault('unlinked', `it does not follow entry ${last.number}: one of the two was replaced`)
  if (number > head.number) return fault('inserted', `the chain's last entry is recorded as ${head.number}`)
  return null
}

const faultAt = (kind: ChainFaultKind, number: number, message: string, entry: StoredEntry | null = null) =>
  ({ kind, number, entry, message }) satisfies ChainFault

const changed = (entry: StoredEntry, message = 'its content does not match its hash') =>
  faultAt('changed', entry.number, message, entry)

const noHead = (number: number, entry: StoredEntry | null) =>
  faultAt('no head', number, 'the chain has no record of its last entry: it was removed', entry)

const missing = (first: number, last: number, kind: ChainFaultKind = 'missing') =>
  faultAt(kind, first, first === last ? 'the entry is missing' : `the entries ${first} to ${last} are missing`)

function faultOfRewrite(entry: StoredEntry, expected: ExpectedEntry | undefined): ChainFault | null {
  if (entry.number !== expected?.number || entry.hash === expected.hash) return null
  return changed(entry, 'it is not the expected entry: the chain was rewritten')
}

function faultOfEnd(last: ExpectedEntry, entry: StoredEntry | null, head: ChainHead | undefined): ChainFault | null {
  if (head === undefined) return null
  const { number } = last
  if (head.number > number) return missing(number + 1, head.number, 'cut off')
  if (head.number < number) return missing(head.number + 1, number, 'cut off')
  if (head.hash === last.hash) return null
  const message = 'it is not the entry that was recorded as the last: one of the two was replaced'
  return faultAt('changed', number, message, entry)
}

/** Missing older entries are a fault unless an entry records their removal. */
function faultOfBeginning(head: ChainHead | undefined, prune: Prune | undefined): ChainFault | null {
  const { number, hash } = startOf(head)
  const through = prune?.through ?? 0
  if (number < through) return null
  if (number === through) return number === 0 || hash === prune?.hash ? null : missing(through, through)
  const fault = missing(through + 1, number)
  return { ...fault, message: `${fault.message}, and no entry records their removal because of age` }
}

function faultOfAbsence(start: ExpectedEntry, last: ExpectedEntry, expected?: ExpectedEntry): ChainFault | null {
  if (expected === undefined) return null
  const { number, hash } = expected
  if (number > last.number) return missing(last.number + 1, number, 'cut off')
  if (number < start.number || (number === start.number && hash !== start.hash))
    return faultAt('missing', number, 'it was removed because of its age, so it cannot be compared')
  return null
}
