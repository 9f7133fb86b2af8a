import { isSecret } from '../../lib/secret.ts'
import { unsubscribe } from '../../notices/records.ts'
import type { RequestContext, RequestHandler } from '../context.ts'
import { html } from '../html.ts'
import { card } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, PageError } from '../responses.ts'

/** Only the token decides, without a session or an origin: mail programs send the request, too (RFC 8058). */
function tokenOf({ request }: RequestContext): string {
  const token = request.query.get('token') ?? undefined
  if (!isSecret(token)) throw new PageError(400, 'This link is incomplete', 'Copy all of it from the mail.')
  return token
}

/** Does not depend on the token. Mail scanners open links, so GET only shows a button. */
export const showUnsubscribe: RequestHandler = async (context) => htmlResponse(200, unsubscribePage(tokenOf(context)))

export const submitUnsubscribe: RequestHandler = async (context) => {
  const { request, store, requestLimits } = context
  const token = tokenOf(context)
  requestLimits.count('unsubscription', request.caller.address)
  const isDone = await store.transaction((tx) => unsubscribe(tx, token))
  return htmlResponse(200, unsubscribedPage(isDone))
}

export const unsubscribePage = (token: string): string =>
  card(
    'Unsubscribe',
    html`<h1>Stop these notices?</h1><p>You get no more of them by mail, unless an owner of the workspace chooses you again.</p>
<form method="post" action="${paths.unsubscribe}?token=${token}"><button class="button primary">Unsubscribe</button></form>`,
  )

const unsubscribedPage = (isDone: boolean): string =>
  card(
    'Unsubscribed',
    isDone
      ? html`<h1>You are unsubscribed</h1><p>You get no more notices about this workspace by mail.</p>`
      : html`<h1>This link is not in use</h1><p>The address has already been unsubscribed or removed. If you still get notices, use the link in the newest one.</p>`,
  )
