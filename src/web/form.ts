import { createHmac } from 'node:crypto'
import type { PrivateRequest } from '../api/http-message.ts'
import type { Transaction } from '../database/store.ts'
import { hashSecret, isSameSecret, isSecret } from '../lib/secret.ts'
import { SESSION_SECONDS } from '../members/sessions.ts'
import { findTicket, insertTicket } from '../members/tickets.ts'
import type { Part } from './html.ts'
import type { Link } from './layout/page.ts'
import { PageError } from './responses.ts'

const MAX_BYTES = 16 * 1024

/** Derived from the cookie's secret without revealing it. */
export const csrfTokenOf = (secret: string): string => createHmac('sha256', secret).update('csrf').digest('base64url')

interface FormContext {
  request: PrivateRequest
  config: { publicUrl: string }
}

export async function readForm(
  context: FormContext,
  csrfToken: string,
  refuse: (form: URLSearchParams) => PageError = () => outOfDate(),
): Promise<URLSearchParams> {
  const form = await readOwnForm(context)
  if (!isSameSecret(form.get('csrf') ?? '', csrfToken)) throw refuse(form)
  return form
}

/** For a form whose session may have ended: checks the origin, but not the token. */
export async function readOwnForm({ request, config }: FormContext): Promise<URLSearchParams> {
  if (!isSameOrigin(request, config.publicUrl))
    throw new PageError(403, OUT_OF_DATE, 'It was not sent from a page of this session. Go back and try again.')
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new PageError(400, 'Not a form', 'Send the form from its page.')
  const body = await request.body(MAX_BYTES, () => new PageError(413, 'Too much text', 'Shorten your text.'))
  return new URLSearchParams(body.toString())
}

export const mediaTypeOf = (request: PrivateRequest): string | undefined =>
  request.header('content-type')?.split(';')[0]?.trim().toLowerCase()

const OUT_OF_DATE = 'This form is out of date'
const OUT_OF_DATE_REASON =
  'You have signed in since you opened it, or it was open for too long. Open it and send it again.'

/** The person signed in, in another tab, after opening the form; or they are not signed in, and the form's cookie has expired. */
export const outOfDate = (headers?: readonly string[], back?: Link) =>
  new PageError(403, OUT_OF_DATE, OUT_OF_DATE_REASON, headers, back)

/**
 * Thrown to show a form again, filled in as it was sent: with errors, or because someone else made a change
 * meanwhile. A page in response to a POST would make the browser's Back button ask whether to send the form again.
 */
export class ReopenForm extends Error {
  override name = 'ReopenForm'
}

/** Browsers send Origin, Sec-Fetch-Site or both; a request without either is refused. */
function isSameOrigin(request: PrivateRequest, publicUrl: string): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') return false
  const origin = request.header('origin')
  if (origin === undefined) return site === 'same-origin'
  if (publicUrl !== '') return origin === new URL(publicUrl).origin
  // Without PUBLIC_URL, a TLS proxy may be in front, so only the host can be compared, as it was sent.
  const host = request.header('host')
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}

export const incompleteForm = (text = 'Open it and fill it in again.') =>
  new PageError(400, 'This form is incomplete', text)

/** The form was sent again: a double click, a reload, or a retry after the connection was lost. Only the first response could show a secret. */
export const alreadySent = (outcome: Part, next: Link) =>
  new PageError(409, 'This form was already sent', outcome, [], next)

/**
 * For a form that must take effect only once. Throws what `sentBefore` returns if it has been sent before; the lock makes a
 * concurrent second request wait. The result is a function that stores what came of the form, for as long as the session can last.
 */
export async function onlyOnce(
  { session }: { session: { email: string } },
  tx: Transaction,
  form: URLSearchParams,
  sentBefore: (detail: Record<string, string>) => PageError | Promise<PageError>,
) {
  const ticket = form.get('once') ?? undefined
  if (!isSecret(ticket)) throw incompleteForm()
  const [hash, subject] = [hashSecret(ticket), session.email]
  await tx.lock(`form ${hash}`)
  const found = await findTicket(tx, hash, 'form')
  if (found !== undefined) throw found.subject === subject ? await sentBefore(found.detail) : incompleteForm()
  return (detail: Record<string, string> = {}) =>
    insertTicket(tx, { hash, kind: 'form', subject, detail }, SESSION_SECONDS * 1000)
}
