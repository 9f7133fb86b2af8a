import type { HttpResponse } from '../../api/http-message.ts'
import { type Destination, destinationOf, redirectUriError } from '../../connections/redirect-uri.ts'
import { redactTokens } from '../../lib/redact.ts'
import { createSecret, isSecret } from '../../lib/secret.ts'
import { deviceOf } from '../../members/device.ts'
import { endSession, SESSION_SECONDS, type SignedIn, type Visit } from '../../members/sessions.ts'
import { findLink, signInWithLink } from '../../members/sign-in-link.ts'
import { findSession, type RequestContext, type RequestHandler, recentWorkspaces } from '../context.ts'
import { flashOf, redirectWithNotice } from '../flash.ts'
import { csrfTokenOf, readForm, readOwnForm } from '../form.ts'
import { type Html, html, isolated } from '../html.ts'
import { csrfField } from '../layout/field.ts'
import { card, type Notice, noticeBox } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { returnOf, returnPathOf } from '../remember-page.ts'
import { allowingFormsTo, formSourceOf, htmlResponse, PageError, redirect, withHeaders } from '../responses.ts'

const VISITOR_SECONDS = 3600

const ONCE = 'A link works once, until it expires or a newer one replaces it.'
const LINK_ENDED =
  'This link no longer works: it was already used, was replaced by a newer one, or has expired. Ask for a new one.'

export const goHome: RequestHandler = async (context) => {
  const memberships = (await findSession(context))?.memberships ?? []
  const usedLast = usedLastOf(context)
  const home = memberships.find(({ slug }) => slug === usedLast) ?? memberships[0]
  return redirect(home === undefined ? paths.signIn : paths.overview(home.slug))
}

const usedLastOf = (context: RequestContext): string | undefined => recentWorkspaces(context)[0]

export const visitOf = (context: RequestContext): Visit => ({
  device: deviceOf(context.request.caller),
  preferredSlug: usedLastOf(context),
})

export const showSignIn: RequestHandler = async (context) => signInResponse(context, flashOf(context))

export const refuseSignIn = (
  context: RequestContext,
  status: number,
  text: string,
  headers: string[] = [],
  here?: string | null,
) => withHeaders({ ...signInResponse(context, { tone: 'bad', text }, here ?? undefined), status }, headers)

/** `here` is the page to continue at, if this response takes its place or follows a form that did. */
export function signInResponse(context: RequestContext, notice: Notice | null, here?: string): HttpResponse {
  const { provider, mail, config } = context
  const methods = { oidc: provider !== undefined, passkeys: config.passkeys !== undefined, mail: mail !== undefined }
  const isVisitor = Object.values(methods).includes(true)
  const visitor = isVisitor ? startVisit(context) : { csrf: '', headers: [] }
  const email = redactTokens(context.draft?.get('email') ?? '')
  const redirectUri = redirectUriIn(here ?? returnPathOf(context))
  const client = redirectUri === undefined ? undefined : destinationOf(redirectUri)
  const page = signInPage({ ...methods, ...visitor, notice, email, here, client })
  return leadingToClient(htmlResponse(200, page, visitor.headers), redirectUri)
}

/** Reusing the visitor keeps the forms in other tabs valid. */
function startVisit(context: RequestContext): { csrf: string; headers: string[] } {
  const visitor = visitorOf(context) ?? createSecret()
  return { csrf: csrfTokenOf(visitor), headers: context.cookies.set('visitor', visitor, VISITOR_SECONDS) }
}

/**
 * A form that signs in may lead to the consent page, and from there at once to the client, with an error. The policy limits forms
 * that someone else puts on our page; the consent page checks the redirect itself.
 */
const leadingToClient = <A extends HttpResponse>(page: A, redirectUri: string | undefined): A =>
  redirectUri === undefined ? page : allowingFormsTo(page, formSourceOf(redirectUri))

/** Of the client that waits for consent, if that is the page to continue at. */
function redirectUriIn(here: string | undefined): string | undefined {
  const url = URL.parse(here ?? '', 'http://own.invalid')
  const redirectUri = url?.pathname === paths.authorize ? url.searchParams.get('redirect_uri') : null
  return redirectUriError(redirectUri) === undefined ? (redirectUri ?? undefined) : undefined
}

/** GET only shows a button: mail scanners that open links must not use them up. */
export const showLink: RequestHandler = async (context) => {
  const token = context.request.query.get('token') ?? ''
  if (!isSecret(token)) return refuseSignIn(context, 400, 'This link is incomplete. Copy all of it.')
  const link = await checkedLink(context, token)
  if (link === undefined) return refuseSignIn(context, 410, LINK_ENDED)
  const { csrf, headers } = startVisit(context)
  const page = signInConfirmPage({ token, csrf, email: link.person })
  const response = htmlResponse(200, page, headers)
  return leadingToClient(response, redirectUriIn(returnPathOf(context)))
}

export const signInByLink: RequestHandler = async (context) => {
  const { request, store, cookies, requestLimits, config } = context
  const form = await readVisitorForm(context)
  requestLimits.count('link', request.caller.address)
  const token = form.get('token') ?? ''
  await checkedLink(context, token)
  const signedIn = await store.transaction((tx) => signInWithLink(tx, token, visitOf(context)))
  if (signedIn === undefined) return refuseSignIn(context, 410, LINK_ENDED)
  const offer = config.passkeys && paths.signIns(signedIn.workspace.slug, { offer: 'passkey' })
  return acceptSignIn(context, signedIn, cookies.clear('visitor'), offer)
}

/** For people who are signed in: a used link redirects, and one that they created must not sign them in as someone else. */
async function checkedLink(context: RequestContext, token: string) {
  const session = await findSession(context)
  const link = await context.store.read((tx) => findLink(tx, token))
  if (session === undefined) return link
  const { email } = session
  if (link === undefined)
    throw new PageError(410, 'This link no longer works', `${ONCE} You are signed in as ${email}.`)
  if (!link.isCreatedBy(email) || link.person === email) return link
  const text = `You created it for ${link.person}, and are signed in as ${email}. Send it to them. To open it in this browser anyway, sign out first.`
  throw new PageError(409, 'This link is for someone else', text)
}

export const signOut: RequestHandler = async (context) => {
  const session = await findSession(context)
  // The browser sends no cookie with a form of another site, but the response could remove it.
  if (session === undefined) await readOwnForm(context)
  else {
    await readForm(context, session.csrf)
    await context.store.transaction((tx) => endSession(tx, session, session))
  }
  const { cookies } = context
  const cleared = [...cookies.clear('session'), ...cookies.clear('return')]
  return redirectWithNotice(context, paths.signIn, 'signed-out', { headers: cleared })
}

/** The cookie is SameSite, so requests from other sites lack it. */
export function visitorOf({ request, cookies }: RequestContext): string | undefined {
  const visitor = cookies.read(request.header('cookie'), 'visitor')
  return isSecret(visitor) ? visitor : undefined
}

/** A form from a person who is not signed in. */
export const readVisitorForm = (context: RequestContext): Promise<URLSearchParams> =>
  readForm(context, csrfTokenOf(visitorOf(context) ?? createSecret()))

export function acceptSignIn(
  context: RequestContext,
  signedIn: SignedIn,
  headers: string[],
  home = paths.overview(signedIn.workspace.slug),
): HttpResponse {
  const { cookies } = context
  const cookie = cookies.set('session', signedIn.secret, SESSION_SECONDS)
  const back = returnOf(context, signedIn.memberships)
  const isDone = back === undefined || back.form.size === 0
  return redirect(back?.path ?? home, [...cookie, ...headers, ...(isDone ? cookies.clear('return') : [])])
}

interface SignInModel {
  oidc: boolean
  passkeys: boolean
  mail: boolean
  /** The visitor's double-submit token. */
  csrf: string
  notice: Notice | null
  /** As typed. */
  email?: string
  here?: string | undefined
  /** Where a program that waits for consent is. */
  client?: Destination | undefined
}

export function signInPage({ oidc, passkeys, mail, csrf, notice, email = '', here, client }: SignInModel): string {
  const hidden = html`${csrfField({ csrf })}${here !== undefined && html`<input type="hidden" name="continue" value="${here}">`}`
  return card('Sign in', [
    html`<h1>Sign in to Vitrine</h1>`,
    noticeBox(notice),
    client !== undefined &&
      html`<p>${clientText(client)} asks to read a workspace. After signing in you see what it asks for, and decide.</p>`,
    passkeys &&
      html`<form data-passkey="get" action="${paths.signInPasskey}" hidden>${hidden}<button class="button primary wide">Sign in with a passkey</button><p class="error" role="alert"></p></form>`,
    oidc &&
      html`<a class="button ${passkeys ? '' : 'primary '}wide" href="${paths.startOidc(here)}">Continue with your company account</a>`,
    mail && (passkeys || oidc) && html`<p class="or">or</p>`,
    mail &&
      html`<form class="form" method="post" action="${paths.signInMail}">${hidden}<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="email" required maxlength="254" spellcheck="false"></div>
<button class="button wide">Mail me a sign-in link</button></form>`,
    passkeys || oidc || mail
      ? html`<details><summary>Ask for a link instead</summary>${linkHelp(mail)}</details>`
      : html`<h2>With a sign-in link</h2>${linkHelp(mail)}`,
  ])
}

const linkHelp = (mail: boolean) =>
  html`<p>There are no passwords. Someone creates a link for you, which works once.</p>
<ul class="ask"><li><strong>Ask an owner or admin of your workspace.</strong> They find “${mail ? 'Show a new link' : 'New sign-in link'}” under Members → Manage.</li>
<li><strong>No one there who can sign in?</strong> Ask the operator of this service, who runs:</li></ul>
<pre class="command"><code>vitrine member link --email you@example.com</code></pre>
<p class="hint">Links are for members. If you are not one yet, ask an owner or admin to invite you.</p>`

const clientText = ({ kind, host }: Destination): Html =>
  kind === 'loopback' ? html`A program on this computer` : html`A program at <strong>${isolated(host)}</strong>`

/** `csrf` is the visitor's double-submit token. Names the person, because a link may have been forwarded to someone else. */
function signInConfirmPage({ token, csrf, email }: Record<'token' | 'csrf' | 'email', string>): string {
  return card(
    'Sign in',
    html`<h1>Sign in to Vitrine</h1>
<p>One more step. The link works once, and this button uses it. It signs you in as <strong>${isolated(email)}</strong>.</p>
<form method="post" action="${paths.signInLink}">${csrfField({ csrf })}<input type="hidden" name="token" value="${token}">
<button class="button primary wide" autofocus>Sign in</button></form>`,
  )
}
