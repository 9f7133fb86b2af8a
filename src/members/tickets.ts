import type { Transaction } from '../database/store.ts'

/** Something that works once: a sign-in link, a sign-in with the identity provider, a form. Only the hash of its secret is stored. */
interface Ticket {
  hash: string
  kind: 'link' | 'oidc' | 'form'
  /** The person it is for, where that is known. */
  subject: string
  detail: Record<string, string>
  expiresAt: string
}

type TicketRow = Omit<Ticket, 'detail'> & { detail: string }
const COLUMNS = 'hash, kind, subject, detail, expires_at AS "expiresAt"'
const toTicket = (row: TicketRow): Ticket => ({ ...row, detail: JSON.parse(row.detail) })

export async function insertTicket(tx: Transaction, { hash, kind, subject, detail, expiresAt }: Ticket): Promise<void> {
  await tx.run(
    'INSERT INTO tickets (hash, kind, subject, detail, expires_at) VALUES (?, ?, ?, ?, ?)',
    ...[hash, kind, subject, JSON.stringify(detail), expiresAt],
  )
}

/** Without using it up. */
export async function findTicket(tx: Transaction, hash: string, kind: Ticket['kind']): Promise<Ticket | undefined> {
  const [row] = await tx.all<TicketRow>(`SELECT ${COLUMNS} FROM tickets WHERE hash = ? AND kind = ?`, hash, kind)
  return row && toTicket(row)
}

/** Expired ones included. */
export async function countTickets(tx: Transaction, kind: Ticket['kind']): Promise<number> {
  const [row] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM tickets WHERE kind = ?', kind)
  return row?.n ?? 0
}

/** Uses the ticket up: the second caller gets undefined. An expired ticket counts as none. */
export async function takeTicket(
  tx: Transaction,
  hash: string,
  kind: Ticket['kind'],
  now: string,
): Promise<Ticket | undefined> {
  const [row] = await tx.all<TicketRow>(
    `DELETE FROM tickets WHERE hash = ? AND kind = ? RETURNING ${COLUMNS}`,
    ...[hash, kind],
  )
  return row && row.expiresAt > now ? toTicket(row) : undefined
}

/** Deletes links that are chosen. There are few: one for each member, and those of the operator, which soon expire. */
export async function deleteLinks(tx: Transaction, isChosen: (link: Ticket) => boolean): Promise<void> {
  const links = await tx.all<TicketRow>(`SELECT ${COLUMNS} FROM tickets WHERE kind = 'link'`)
  for (const link of links.map(toTicket))
    if (isChosen(link)) await tx.run('DELETE FROM tickets WHERE hash = ?', link.hash)
}
