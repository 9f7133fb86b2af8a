import type { Transaction } from '../database/store.ts'
import { hashSecret, isSecret } from '../lib/secret.ts'
import { SESSION_SECONDS } from '../members/sessions.ts'
import { findTicket, insertTicket } from '../members/sign-in-records.ts'
import type { WorkspaceContext } from './context.ts'
import { PageError } from './responses.ts'

export const incompleteForm = (text = 'Open it again and fill it in once more.') =>
  new PageError(400, 'This form is incomplete', text)

/** The form's ticket, in the field `once`: under its hash is remembered what the form did. */
export function ticketIn(form: URLSearchParams): string {
  const ticket = form.get('once') ?? undefined
  if (!isSecret(ticket)) throw incompleteForm()
  return ticket
}

/** What the form did when it was sent before; undefined if it was not. Another person's form is refused. */
export async function findTicketOf(
  { session }: WorkspaceContext,
  tx: Transaction,
  form: URLSearchParams,
): Promise<Record<string, string> | undefined> {
  const ticket = await findTicket(tx, hashSecret(ticketIn(form)), 'form')
  if (ticket !== undefined && ticket.subject !== session.email) throw incompleteForm()
  return ticket?.detail
}

/** Remembers what the form did, in the transaction that does it: of two forms sent at once, one is rolled back. */
export async function rememberTicket(
  { session, nowMs }: WorkspaceContext,
  tx: Transaction,
  form: URLSearchParams,
  detail: Record<string, string>,
): Promise<void> {
  const isFirst = await insertTicket(tx, {
    hash: hashSecret(ticketIn(form)),
    kind: 'form',
    subject: session.email,
    detail,
    // As long as the session that the form belongs to can last.
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000).toISOString(),
  })
  if (!isFirst) throw new SentMeanwhile()
}

class SentMeanwhile extends Error {
  override name = 'SentMeanwhile'
}

/** Runs a transaction again that found, at its end, that the same form was sent meanwhile: now it finds the ticket. */
export async function retryIfSentMeanwhile<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!(error instanceof SentMeanwhile)) throw error
    return transaction()
  }
}
