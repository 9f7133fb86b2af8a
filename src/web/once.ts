import type { Transaction } from '../database/store.ts'
import { hashSecret, isSecret } from '../lib/secret.ts'
import { SESSION_SECONDS } from '../members/sessions.ts'
import { findTicket, insertTicket } from '../members/tickets.ts'
import type { WorkspaceContext } from './context.ts'
import { PageError } from './responses.ts'

/** The form's idempotency token, in the field `once`. */
export function idempotencyTokenOf(form: URLSearchParams): string {
  const token = form.get('once') ?? undefined
  if (!isSecret(token)) throw formSentElsewhere()
  return token
}

export const incompleteForm = (text: string) => new PageError(400, 'This form is incomplete', text)

/** The token is missing, or was used by another person or for another workspace. */
export const formSentElsewhere = () => incompleteForm('Open it again and fill it in once more.')

/**
 * What was remembered of a form that was sent before; undefined if this is the first time. Of two that are sent at once, the second
 * waits here until the transaction of the first has ended.
 */
export async function findFormTicket(
  tx: Transaction,
  { session }: WorkspaceContext,
  token: string,
): Promise<Record<string, string> | undefined> {
  const hash = hashSecret(token)
  await tx.lock(`form ${hash}`)
  const ticket = await findTicket(tx, hash, 'form')
  if (ticket !== undefined && ticket.subject !== session.email) throw formSentElsewhere()
  return ticket?.detail
}

/** Remembers what a form did, as long as the session that it belongs to can last. To be called in the transaction that does it. */
export const rememberForm = (
  tx: Transaction,
  { session, nowMs }: WorkspaceContext,
  token: string,
  detail: Record<string, string>,
): Promise<void> =>
  insertTicket(tx, {
    ...{ hash: hashSecret(token), kind: 'form', subject: session.email, detail },
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000).toISOString(),
  })
