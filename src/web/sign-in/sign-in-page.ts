import { html } from '../../lib/html.ts'
import { card, csrfField, type Notice, noticeBox } from '../layout/layout.ts'
import { paths } from '../paths.ts'

/** GET /settings/sign-in */
interface SignInModel {
  oidc: boolean
  /** Why the page is here: "You are signed out.", "This link no longer works", … */
  notice: Notice | null
}

export function signInPage({ oidc, notice }: SignInModel): string {
  const company = html`<a class="button primary wide" href="${paths.signInOidc}">Continue with your company account</a><p class="or"><span>or</span></p>`
  return card('Sign in', [
    html`<h1>Sign in to Vitrine</h1>`,
    noticeBox(notice),
    oidc && company,
    html`<h2>With a sign-in link</h2>
<p>There are no passwords. Somebody creates a link for you, which works once.</p>
<ul class="ask"><li><strong>Ask an owner or admin of your workspace.</strong> They find “New sign-in link” under Members, beside your name.</li>
<li><strong>Nobody there who can sign in?</strong> Ask the operator of this service, who runs:</li></ul>
<pre class="command"><code>vitrine member link --email you@example.com</code></pre>
<p class="hint">Links are for members. If you are not one yet, ask an owner or admin to invite you.</p>`,
  ])
}

/** GET /settings/sign-in/link?token=…: a button, whose POST sends `token` (and `csrf`) back. */
interface SignInConfirmModel {
  token: string
  /** The double-submit token of the visitor who is not signed in yet. */
  csrf: string
}

export function signInConfirmPage({ token, csrf }: SignInConfirmModel): string {
  return card(
    'Sign in',
    html`<h1>Sign in to Vitrine</h1>
<p>One more step. The link works once, and this button uses it.</p>
<form method="post" action="${paths.signInLink}">${csrfField({ csrf })}<input type="hidden" name="token" value="${token}">
<button class="button primary wide" autofocus>Sign in</button></form>`,
  )
}
