import { storeBusy } from '../database/errors.ts'
import { countFrom, insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { deleteExpired } from './sessions.ts'

/** Per kind: for all strangers together, and for each person who is signed in. */
const MAX_PENDING = 10_000
const MAX_PENDING_OF_A_PERSON = 30

/** A single-use secret: for a sign-in link, a sign-in elsewhere or by passkey, a form, or a program that connects. Only its hash is stored. */
export interface Ticket {
  hash: string
  kind: 'link' | 'oidc' | 'passkey' | 'form' | 'code'
  subject: string
  detail: Record<string, string>
  expiresAt: string
}

type TicketRow = Omit<Ticket, 'detail'> & { detail: string }
const COLUMNS = 'hash, kind, subject, detail, expires_at AS "expiresAt"'
const toTicket = (row: TicketRow): Ticket => ({ ...row, detail: JSON.parse(row.detail) })

/** Returns when it expires. May follow audit entries, so it locks no other rows: see `appendAudit`. */
export async function insertTicket(
  tx: Transaction,
  { detail, ...ticket }: Omit<Ticket, 'expiresAt'>,
  lifetimeMs: number,
): Promise<string> {
  const expiresAt = isoOf(tx.nowMs + lifetimeMs)
  await insertRow(tx, 'tickets', { ...ticket, detail: JSON.stringify(detail), expiresAt })
  return expiresAt
}

/** For a sign-in that anyone can start, or a person (`subject`) who is signed in, so pending ones are bounded. */
export async function insertPending(tx: Transaction, ticket: Omit<Ticket, 'expiresAt'>, seconds: number) {
  await deleteExpired(tx)
  await insertTicket(tx, ticket, seconds * 1000)
  const limit = ticket.subject === '' ? MAX_PENDING : MAX_PENDING_OF_A_PERSON
  // Expired ones are gone.
  const pending = await countFrom(tx, 'tickets WHERE kind = ? AND subject = ?', ticket.kind, ticket.subject)
  if (pending > limit) throw storeBusy
}

export async function findTicket(tx: Transaction, hash: string, kind: Ticket['kind']): Promise<Ticket | undefined> {
  const [row] = await tx.all<TicketRow>(`SELECT ${COLUMNS} FROM tickets WHERE hash = ? AND kind = ?`, hash, kind)
  return row && toTicket(row)
}

/** Deletes the ticket: a second caller gets undefined, as for an expired one. */
export async function takeTicket(tx: Transaction, hash: string, kind: Ticket['kind']) {
  const sql = `DELETE FROM tickets WHERE hash = ? AND kind = ? RETURNING ${COLUMNS}`
  const [row] = await tx.all<TicketRow>(sql, hash, kind)
  return row && row.expiresAt > isoOf(tx.nowMs) ? toTicket(row) : undefined
}

/** Reads all links. There are few: one per member, and those that soon expire. */
export async function deleteLinks(tx: Transaction, isChosen: (link: Ticket) => boolean): Promise<void> {
  const links = await tx.all<TicketRow>(`SELECT ${COLUMNS} FROM tickets WHERE kind = 'link'`)
  for (const { hash } of links.map(toTicket).filter(isChosen)) await tx.run('DELETE FROM tickets WHERE hash = ?', hash)
}
