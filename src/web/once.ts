import type { Transaction } from '../database/store.ts'
import type { Part } from '../lib/html.ts'
import { hashSecret, isSecret } from '../lib/secret.ts'
import { SESSION_SECONDS } from '../members/sessions.ts'
import { findTicket, insertTicket } from '../members/tickets.ts'
import type { PersonContext } from './context.ts'
import type { Link } from './layout/page.ts'
import { PageError } from './responses.ts'

export const incompleteForm = (text = 'Open it and fill it in again.') =>
  new PageError(400, 'This form is incomplete', text)

/** Caused by a double click, a reload, or a retry after the connection was lost. Only the first response could show a secret. */
export const alreadySent = (outcome: Part, next: Link) =>
  new PageError(409, 'This form was already sent', outcome, [], next)

/** The result of the form is stored under the ticket's hash. */
function ticketIn(form: URLSearchParams): string {
  const ticket = form.get('once') ?? undefined
  if (!isSecret(ticket)) throw incompleteForm()
  return ticket
}

/** Returns the result of the form if it was sent before. The lock makes a concurrent second request wait for the first. */
export async function findTicketOf({ session }: PersonContext, tx: Transaction, form: URLSearchParams) {
  const hash = hashSecret(ticketIn(form))
  await tx.lock(`form ${hash}`)
  const ticket = await findTicket(tx, hash, 'form')
  if (ticket !== undefined && ticket.subject !== session.email) throw incompleteForm()
  return ticket?.detail
}

/** The ticket lasts as long as the session can. */
export const rememberTicket = (
  { session, nowMs }: PersonContext,
  tx: Transaction,
  form: URLSearchParams,
  detail: Record<string, string>,
): Promise<void> =>
  insertTicket(tx, {
    ...{ hash: hashSecret(ticketIn(form)), kind: 'form', subject: session.email, detail },
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000).toISOString(),
  })
