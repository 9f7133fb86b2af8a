import type { Transaction } from '../database/store.ts'
import { hashSecret, isSecret } from '../lib/secret.ts'
import { SESSION_SECONDS } from '../members/sessions.ts'
import { findTicket, insertTicket } from '../members/sign-in-records.ts'
import type { WorkspaceContext } from './context.ts'
import { PageError } from './responses.ts'

/** The form's idempotency token, in the field `once`. */
export function idempotencyTokenOf(form: URLSearchParams): string {
  const token = form.get('once') ?? undefined
  if (!isSecret(token)) throw incompleteForm('Open it again and fill it in once more.')
  return token
}

export const incompleteForm = (text: string) => new PageError(400, 'This form is incomplete', text)

export interface OnceOnly<First, Again, Scope> {
  /** Runs work in a transaction that first checks that the person may still do this; gives what the work needs besides. */
  transaction<T>(work: (tx: Transaction, scope: Scope) => Promise<T>): Promise<T>
  /** Does it, and says what to remember of it. */
  first(tx: Transaction, scope: Scope): Promise<{ result: First; remember: Record<string, string> }>
  /** What to answer if it was done before, from what is remembered; undefined if that belongs to somebody or somewhere else. */
  again(tx: Transaction, remembered: Record<string, string>): Promise<Again | undefined>
}

/**
 * Does something at most once for each form. Its token is remembered in the transaction that does it, so of two forms sent at
 * once one is rolled back, and answered as the second.
 */
export async function once<First, Again, Scope>(
  context: WorkspaceContext,
  token: string,
  { transaction, first, again }: OnceOnly<First, Again, Scope>,
): Promise<First | Again> {
  const attempt = () =>
    transaction(async (tx, scope) => {
      const ticket = await findTicket(tx, hashSecret(token), 'form')
      if (ticket === undefined) {
        const { result, remember } = await first(tx, scope)
        await rememberToken(context, tx, token, remember)
        return result
      }
      const response = ticket.subject === context.session.email ? await again(tx, ticket.detail) : undefined
      if (response === undefined) throw incompleteForm('Open it again and fill it in once more.')
      return response
    })
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof SentMeanwhile)) throw error
    return attempt()
  }
}

class SentMeanwhile extends Error {
  override name = 'SentMeanwhile'
}

async function rememberToken(
  { session, nowMs }: WorkspaceContext,
  tx: Transaction,
  token: string,
  detail: Record<string, string>,
): Promise<void> {
  const isFirst = await insertTicket(tx, {
    hash: hashSecret(token),
    kind: 'form',
    subject: session.email,
    detail,
    // As long as the session that the form belongs to can last.
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000).toISOString(),
  })
  if (!isFirst) throw new SentMeanwhile()
}
