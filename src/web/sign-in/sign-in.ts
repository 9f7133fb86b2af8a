import { html } from '../../lib/html.ts'
import { createSecret, isSecret } from '../../lib/secret.ts'
import { endSession, SESSION_SECONDS, type SignedIn } from '../../members/sessions.ts'
import { ownLink, signInWithLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { findSession, type Handler, nowOf, type RequestContext } from '../context.ts'
import { csrfTokenOf, readForm } from '../form.ts'
import { csrfField } from '../layout/field.ts'
import { card, type Notice, noticeBox } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, PageError, redirect } from '../responses.ts'
import { returnOf } from './return.ts'

const VISITOR_SECONDS = 3600

const FORM_KEPT = 'You have been signed out, so nothing was sent. Sign in again within an hour: what you typed is kept.'

/** The URL only identifies a notice, so that no other text can be put on the page. */
const notices = new Map<string | null, Notice>([
  ['signed-out', { tone: 'good', text: 'You are signed out.' }],
  ['ended', { tone: 'neutral', text: 'You have been signed out. Sign in again to continue.' }],
  ['kept', { tone: 'neutral', text: FORM_KEPT }],
  ['left', { tone: 'good', text: 'You have left the workspace.' }],
  [
    'begin',
    { tone: 'neutral', text: 'Choose how to sign in. If this page keeps coming back, allow its cookies first.' },
  ],
])

const LINK_ENDED =
  'This link no longer works: it was already used, was replaced by a newer one, or has expired. Ask for a new one.'

export const goHome: Handler = async (context) => {
  const memberships = (await findSession(context))?.memberships ?? []
  const usedLast = usedLastOf(context)
  const home = memberships.find(({ slug }) => slug === usedLast) ?? memberships[0]
  return redirect(home === undefined ? paths.signIn : paths.keys(home.slug))
}

/** The cookie may name any workspace, so look it up among the person's own. */
export const usedLastOf = ({ request, cookies }: RequestContext): string | undefined =>
  cookies.read(request.header('cookie'), 'workspace')

export const showSignIn: Handler = async (context) => signInResponse(context, context.request.query.get('notice'))

/** `here` is the page to continue at, if this response takes its place. */
export function signInResponse(context: RequestContext, noticeName: string | null, here?: string): HttpResponse {
  const { cookies, provider } = context
  const notice = notices.get(noticeName) ?? null
  const visitor = visitorOf(context) ?? createSecret()
  const headers = provider === undefined ? [] : cookies.set('visitor', visitor, VISITOR_SECONDS)
  return htmlResponse(200, signInPage({ oidc: provider !== undefined, notice, here }), headers)
}

/** GET only shows a button: mail scanners that open links must not use them up. */
export const showLink: Handler = async (context) => {
  const token = context.request.query.get('token') ?? ''
  if (!isSecret(token)) return refuseSignIn(context, 400, 'This link is incomplete. Copy all of it.')
  await refuseOwnLink(context, token)
  // Reusing the visitor keeps the button of a link opened in another tab valid.
  const visitor = visitorOf(context) ?? createSecret()
  const headers = context.cookies.set('visitor', visitor, VISITOR_SECONDS)
  return htmlResponse(200, signInConfirmPage(token, csrfTokenOf(visitor)), headers, { showsSecret: true })
}

export const signInByLink: Handler = async (context) => {
  const { request, store, cookies, attempts } = context
  const form = await readForm(context, csrfTokenOf(visitorOf(context) ?? createSecret()))
  attempts.count('link', request.caller.address)
  const token = form.get('token') ?? ''
  await refuseOwnLink(context, token)
  const signedIn = await store.transaction((tx) => signInWithLink(tx, token, usedLastOf(context), nowOf(context, tx)))
  if (signedIn === undefined) return refuseSignIn(context, 410, LINK_ENDED, cookies.clear('visitor'))
  return acceptSignIn(context, signedIn, cookies.clear('visitor'))
}

/** Otherwise people who try a link that they created would unknowingly act as someone else. */
async function refuseOwnLink(context: RequestContext, token: string): Promise<void> {
  const session = await findSession(context)
  if (session === undefined) return
  const person = await context.store.read((tx) => ownLink(tx, token, session.email))
  if (person === undefined || person === session.email) return
  throw new PageError(
    409,
    'This link is for someone else',
    `You created it for ${person}, and are signed in as ${session.email}. Send it to them. To open it in this browser anyway, sign out first.`,
  )
}

export const signOut: Handler = async (context) => {
  const session = await findSession(context)
  if (session !== undefined) {
    await readForm(context, session.csrf)
    await context.store.transaction((tx) => endSession(tx, session, session))
  }
  const { cookies } = context
  return redirect(`${paths.signIn}?notice=signed-out`, [...cookies.clear('session'), ...cookies.clear('return')])
}

/** The cookie is SameSite, so requests from other sites lack it. */
export function visitorOf({ request, cookies }: RequestContext): string | undefined {
  const visitor = cookies.read(request.header('cookie'), 'visitor')
  return isSecret(visitor) ? visitor : undefined
}

export function acceptSignIn(context: RequestContext, signedIn: SignedIn, headers: string[]): HttpResponse {
  const { cookies } = context
  const cookie = cookies.set('session', signedIn.secret, SESSION_SECONDS)
  const back = returnOf(context, signedIn.memberships)
  const isDone = back === undefined || back.form.size === 0
  return redirect(back?.path ?? paths.keys(signedIn.workspace.slug), [
    ...cookie,
    ...headers,
    ...(isDone ? cookies.clear('return') : []),
  ])
}

export function refuseSignIn(
  { provider }: RequestContext,
  status: number,
  text: string,
  headers: string[] = [],
): HttpResponse {
  return htmlResponse(status, signInPage({ oidc: provider !== undefined, notice: { tone: 'bad', text } }), headers)
}

interface SignInModel {
  oidc: boolean
  notice: Notice | null
  here?: string | undefined
}

export function signInPage({ oidc, notice, here }: SignInModel): string {
  const company = html`<a class="button primary wide" href="${paths.startOidc(here)}">Continue with your company account</a><p class="or"><span>or</span></p>`
  return card('Sign in', [
    html`<h1>Sign in to Vitrine</h1>`,
    noticeBox(notice),
    oidc && company,
    html`<h2>With a sign-in link</h2>
<p>There are no passwords. Someone creates a link for you, which works once.</p>
<ul class="ask"><li><strong>Ask an owner or admin of your workspace.</strong> They find “New sign-in link” under Members, beside your name.</li>
<li><strong>No one there who can sign in?</strong> Ask the operator of this service, who runs:</li></ul>
<pre class="command"><code>vitrine member link --email you@example.com</code></pre>
<p class="hint">Links are for members. If you are not one yet, ask an owner or admin to invite you.</p>`,
  ])
}

/** `csrf` is the visitor's double-submit token. */
export function signInConfirmPage(token: string, csrf: string): string {
  return card(
    'Sign in',
    html`<h1>Sign in to Vitrine</h1>
<p>One more step. The link works once, and this button uses it.</p>
<form method="post" action="${paths.signInLink}">${csrfField({ csrf })}<input type="hidden" name="token" value="${token}">
<button class="button primary wide" autofocus>Sign in</button></form>`,
  )
}
