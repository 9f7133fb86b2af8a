import { paths } from '../paths.ts'
import { html } from './html.ts'
import { card, noticeBox } from './layout.ts'
import type { SignInModel } from './model.ts'

export function signInPage({ oidc, notice }: SignInModel): string {
  const company = html`<a class="button primary wide" href="${paths.signInOidc}">Continue with your company account</a><p class="or"><span>or</span></p>`
  return card('Sign in', [
    html`<h1>Sign in to Vitrine</h1>`,
    noticeBox(notice),
    oidc && company,
    html`<h2>With a sign-in link</h2>
<p>There are no passwords here. Whoever runs this service can print a link for you:</p>
<pre class="command"><code>vitrine member link --email you@example.com</code></pre>
<p class="hint">It works once, for 15 minutes, and only for people who are members of a workspace.</p>`,
  ])
}
