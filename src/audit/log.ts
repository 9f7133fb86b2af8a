/**
 * src/audit records who did what: a chain of entries per workspace, in which each entry contains the hash of the previous one.
 *
 *   log.ts         appends entries (`appendAudit`) and trims old ones; wording.ts describes actions to people
 *   verify.ts      finds the first entry that does not match
 *   retention.ts   removes entries older than AUDIT_RETENTION, unless the clock may be far ahead
 *   search.ts      reads and filters entries, a slice at a time (slices.ts, days.ts)
 *
 * Invariants:
 * - A change and its entry share a transaction. Entries are appended last, in order of workspace ids, which prevents deadlocks.
 * - Entries never change, and only their age or the purge of a deleted workspace removes any: the database's triggers enforce it.
 * - An entry records each removal because of age, so a chain without its beginning still verifies.
 * - No entry contains a key. Actors, labels and other texts are data, which pages escape.
 *
 * Risks: anyone who can write to the database can also write a new chain. Only a head that was stored elsewhere reveals that
 * (`vitrine audit verify --expect`). A damaged entry among the old ones stops the retention of its workspace, because all entries are evidence.
 */
import { hash } from 'node:crypto'
import { insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'

export interface AuditRecord {
  at: string
  workspaceId: string
  /** An email, or `cli`. */
  actor: string
  /** For example `key.created`. */
  action: string
  /** An id. */
  subject: string
  detail: Record<string, unknown>
}

export interface AuditLink {
  /** Starts at 1 in each workspace, without gaps. */
  number: number
  previousHash: string
  hash: string
}

export type AuditEntry = AuditRecord & AuditLink

/** `detail` is the stored text. */
type HashedFields = Omit<AuditRecord, 'detail'> & Omit<AuditLink, 'hash'> & { detail: string }

const GENESIS = '0'.repeat(64)

/** SHA-256 of an RFC 8785 JSON array, which equals JSON.stringify for strings and whole numbers. */
export function hashOf(entry: HashedFields): string {
  const { workspaceId, number, previousHash, at, actor, action, subject, detail } = entry
  const fields = ['vitrine-audit-1', workspaceId, number, previousHash, at, actor, action, subject, detail]
  return hash('sha256', JSON.stringify(fields), 'hex')
}

/** A name, or a person whose session was opened by another person's link. */
export type Actor = string | { email: string; linkBy: string }

/** `at` is the time of the transaction, unless the demo or a test sets another. */
type NewAuditRecord = Omit<AuditRecord, 'actor' | 'at'> & { actor: Actor; at?: string }

export const nameOf = (actor: Actor): string => (typeof actor === 'string' ? actor : actor.email)

export type StoredEntry = HashedFields & { id: number; hash: string }

/** The last entry, recorded separately, and the last one removed because of its age (0 for none). */
export interface ChainHead {
  number: number
  hash: string
  trimmedNumber: number
  trimmedHash: string
}

/** Records that older entries were removed because of their age. */
export const PRUNED = 'audit.pruned'

export const ENTRY = `id, at, workspace_id AS "workspaceId", actor, action, subject, detail,
               number, previous_hash AS "previousHash", hash`

/**
 * Locks the workspace's chain. To avoid deadlocks, append after all other changes, in order of workspace ids. What ends access is done
 * even if the chain cannot take its entry.
 */
export function appendAudit(tx: Transaction, record: NewAuditRecord): Promise<void> {
  if (!ENDING_ACCESS.has(record.action)) return append(tx, record)
  return tx.attempt(
    () => append(tx, record),
    `${record.action} in the workspace ${record.workspaceId} was done, but the audit log could not record it; run 'vitrine audit verify'`,
  )
}

const ENDING_ACCESS = new Set([
  ...['key.paused', 'key.revoked', 'key.rotation_cancelled', 'session.ended', 'member.removed'],
  ...['workspace.archived', 'workspace.deleted'],
])

async function append(tx: Transaction, record: NewAuditRecord): Promise<void> {
  const texts = [record.workspaceId, record.at ?? isoOf(tx.nowMs), nameOf(record.actor), record.action, record.subject]
  // Hashes what the database stores, with replacement characters for lone surrogates.
  const [workspaceId = '', at = '', actor = '', action = '', subject = ''] = texts.map((text) => text.toWellFormed())
  const linkBy = typeof record.actor === 'string' ? {} : { linkBy: record.actor.linkBy }
  const detail = JSON.stringify({ ...record.detail, ...linkBy })
  await lockHead(tx, workspaceId)
  const { number: last = 0, hash: previousHash = GENESIS } = (await chainHead(tx, workspaceId)) ?? {}
  const entry = { at, workspaceId, actor, action, subject, detail, number: last + 1, previousHash }
  await insertRow(tx, 'audit', { ...entry, hash: hashOf(entry) })
}

/**
 * Its row stays locked until the transaction ends, so a chain never forks. The database moves it with each entry. A head that is missing, or
 * lags behind the entries, becomes the last entry.
 */
async function lockHead(tx: Transaction, workspaceId: string): Promise<void> {
  const last = (column: string) => `(SELECT ${column} FROM audit WHERE workspace_id = ? ORDER BY number DESC LIMIT 1)`
  await tx.run(
    `INSERT INTO audit_heads (workspace_id, number, hash)
     VALUES (?, coalesce(${last('number')}, 0), coalesce(${last('hash')}, '${GENESIS}'))
     ON CONFLICT (workspace_id) DO UPDATE SET number = excluded.number, hash = excluded.hash
     WHERE audit_heads.number < excluded.number`,
    ...[workspaceId, workspaceId, workspaceId],
  )
}

export const entriesOf = (rows: readonly StoredEntry[]): AuditEntry[] =>
  rows.map(({ id: _, ...row }) => ({ ...row, detail: JSON.parse(row.detail) }))

export async function newestEntries(tx: Transaction, workspaceId: string, limit: number): Promise<AuditEntry[]> {
  const sql = `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? ORDER BY number DESC LIMIT ?`
  return entriesOf(await tx.all<StoredEntry>(sql, workspaceId, limit))
}

const HEAD = `number, hash, trimmed_number AS "trimmedNumber", trimmed_hash AS "trimmedHash"`

export async function chainHead(tx: Transaction, workspaceId: string): Promise<ChainHead | undefined> {
  const [row] = await tx.all<ChainHead>(`SELECT ${HEAD} FROM audit_heads WHERE workspace_id = ?`, workspaceId)
  return row
}

export interface Prune {
  through: number
  hash: string
  at: string
}

/** Also undefined for a forged entry: no entry can announce its own removal. */
export function pruneOf({ action, at, detail, number }: StoredEntry): Prune | undefined {
  if (action !== PRUNED) return undefined
  try {
    const { through, hash } = JSON.parse(detail) as Prune
    return Number.isSafeInteger(through) && through < number ? { through, hash, at } : undefined
  } catch {
    return undefined
  }
}

/** The database permits only this order. */
export async function trimChain(tx: Transaction, workspaceId: string, number: number): Promise<void> {
  await tx.run(
    `UPDATE audit_heads SET trimmed_number = ?,
       trimmed_hash = (SELECT hash FROM audit WHERE workspace_id = ? AND number = ?) WHERE workspace_id = ?`,
    ...[number, workspaceId, number, workspaceId],
  )
  await tx.run('DELETE FROM audit WHERE workspace_id = ? AND number <= ?', workspaceId, number)
}

/** Only for a workspace that is being erased: all of its entries may be removed, and finally the head of its chain. */
export const eraseEntries = async (tx: Transaction, workspaceId: string): Promise<void> => {
  await lockHead(tx, workspaceId)
  const head = 'UPDATE audit_heads SET trimmed_number = number, trimmed_hash = hash WHERE workspace_id = ?'
  await tx.run(head, workspaceId)
  await tx.run('DELETE FROM audit WHERE workspace_id = ?', workspaceId)
}

export const eraseHead = (tx: Transaction, workspaceId: string): Promise<number> =>
  tx.run('DELETE FROM audit_heads WHERE workspace_id = ?', workspaceId)
