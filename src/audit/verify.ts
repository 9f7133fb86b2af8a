import type { Transaction } from '../database/store.ts'
import {
  type AuditLink,
  BEGINNING,
  type ChainHead,
  chainEntries,
  chainHead,
  ENTRY,
  HEAD,
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

export interface VerifiedEntry extends ExpectedEntry {
  id: number
  prune: Prune | undefined
}

const startOf = (head: ChainHead | undefined): VerifiedEntry => ({
  number: head?.trimmedNumber ?? 0,
  hash: head?.trimmedHash ?? '',
  id: 0,
  prune: undefined,
})

/** Verifies one chain, from the beginning or after an already verified entry. */
class ChainVerifier {
  readonly #head: ChainHead | undefined
  readonly #expected: ExpectedEntry | undefined
  last: VerifiedEntry
  #entry: StoredEntry | null = null
  fault: ChainFault | null = null

  constructor(head: ChainHead | undefined, after = startOf(head), expected?: ExpectedEntry) {
    this.#head = head
    this.#expected = expected
    this.last = after
  }

  /** True if this entry and all earlier ones fit. */
  add(entry: StoredEntry): boolean {
    this.fault ??= faultOf(entry, this.last, this.#head) ?? faultOfRewrite(entry, this.#expected)
    if (this.fault !== null) return false
    const { number, hash, id } = entry
    this.last = { number, hash, id, prune: pruneOf(entry) ?? this.last.prune }
    this.#entry = entry
    return true
  }

  /** Call this after the last entry. */
  end(): void {
    this.fault ??=
      faultOfEnd(this.last, this.#entry, this.#head) ??
      faultOfBeginning(this.#head, this.last.prune) ??
      faultOfAbsence(startOf(this.#head), this.last, this.#expected)
  }

  /** `entries` counts those that fit, up to the first fault. */
  report(workspaceId: string) {
    this.end()
    const [head, { number, prune }] = [this.#head, this.last]
    return { workspaceId, entries: number - startOf(head).number, head, prune, fault: this.fault }
  }
}

/** Verifies the next entries of a chain, so that a long one is verified in short reads. The first `fitting` of them fit. */
export async function verifyNext(
  tx: Transaction,
  workspaceId: string,
  after: VerifiedEntry | undefined,
  mostEntries: number,
) {
  const head = await chainHead(tx, workspaceId)
  const { number: start } = startOf(head)
  // Old entries may have been removed.
  const previous = after !== undefined && after.number >= start ? after : undefined
  const verifier = new ChainVerifier(head, previous)
  const entries = await chainEntries(tx, workspaceId, previous ?? BEGINNING, mostEntries)
  const fitting = entries.filter((entry) => verifier.add(entry)).length
  if (fitting === entries.length && fitting < mostEntries) verifier.end()
  const { last, fault } = verifier
  const isPurged = fault !== null && (await isBeingPurged(tx, workspaceId, head))
  return { entries, fitting, last, fault, isPurged }
}

/** A purge marks all entries of a deleted workspace as removed, deletes them in batches, and removes the head last. */
async function isBeingPurged(tx: Transaction, workspaceId: string, head: ChainHead | undefined): Promise<boolean> {
  const { number, trimmedNumber } = head ?? { number: 0, trimmedNumber: 0 }
  if (trimmedNumber < number) return false
  const left = await tx.all(
    'SELECT 1 FROM workspaces WHERE id = ? UNION ALL SELECT 1 FROM audit WHERE workspace_id = ? AND number > ? LIMIT 1',
    ...[workspaceId, workspaceId, number],
  )
  return left.length === 0
}

/** Call this within a single `read`. */
export async function verifyChain(
  tx: Transaction,
  workspaceId: string,
  expected?: ExpectedEntry,
): Promise<ChainReport> {
  const verifier = new ChainVerifier(await chainHead(tx, workspaceId), undefined, expected)
  const sql = `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? ORDER BY number, id`
  for await (const batch of tx.batches<StoredEntry>(sql, workspaceId)) for (const entry of batch) verifier.add(entry)
  return verifier.report(workspaceId)
}

/** Includes deleted workspaces that still have entries, in a fixed number of statements. */
export async function verifyEveryChain(tx: Transaction, workspaceIds: Iterable<string>) {
  const sql = `SELECT workspace_id AS id, ${HEAD} FROM audit_heads ORDER BY workspace_id`
  const rows = await tx.all<ChainHead & { id: string }>(sql)
  const heads = new Map(rows.map(({ id, ...head }) => [id, head]))
  const verifiers = new Map<string, ChainVerifier>()
  const verifierOf = (id: string) => {
    const verifier = verifiers.get(id) ?? new ChainVerifier(heads.get(id))
    verifiers.set(id, verifier)
    return verifier
  }
  for (const id of [...workspaceIds, ...heads.keys()]) verifierOf(id)
  for await (const batch of tx.batches<StoredEntry>(`SELECT ${ENTRY} FROM audit ORDER BY workspace_id, number, id`))
    for (const entry of batch) verifierOf(entry.workspaceId).add(entry)
  return [...verifiers].map(([id, verifier]) => verifier.report(id))
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
