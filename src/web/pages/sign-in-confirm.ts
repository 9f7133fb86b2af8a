import { paths } from '../paths.ts'
import { html } from './html.ts'
import { card, csrfField } from './layout.ts'
import type { SignInConfirmModel } from './model.ts'

export function signInConfirmPage({ token, csrf }: SignInConfirmModel): string {
  return card(
    'Sign in',
    html`<h1>Sign in to Vitrine</h1>
<p>One step more. The link works once: this button uses it up.</p>
<form method="post" action="${paths.signInLink}">${csrfField({ csrf })}<input type="hidden" name="token" value="${token}">
<button class="button primary wide" autofocus>Sign in</button></form>`,
  )
}
