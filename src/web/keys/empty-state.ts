import { type Html, html } from '../html.ts'
import { icon } from '../layout/icon.ts'
import { paths } from '../paths.ts'

export const connectButton = (slug: string): Html =>
  html`<a class="button primary" href="${paths.connect(slug)}">${icon('plus')}Connect</a>`

/** In place of the keys, while there are none. */
export const emptyState = (slug: string): Html =>
  html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">Make your first call in three steps</h2>
<p>A key lets one script or agent read this workspace: the nightly report that fetches today’s tasks, or the assistant in your
editor that answers “what is due this week?”.</p>
<ol class="steps"><li>${icon('key')}<h3>Choose how to connect</h3><p>With a URL and by signing in, or with a key in a header. You choose what it may read, and until when.</p></li>
<li>${icon('terminal')}<h3>Connect your agent or script</h3><p>Follow the steps for ChatGPT, Claude, Cursor or VS Code, or paste a snippet with the key filled in.</p></li>
<li>${icon('chart')}<h3>See the first call here</h3><p>The page shows when the first request arrives, and its outcome. After that, this list shows who calls, and how often.</p></li></ol>
<p>${connectButton(slug)}</p>
<ul class="facts"><li><strong>Read-only.</strong> No key can change or delete anything.</li>
<li><strong>Revocable.</strong> A revoked key stops working immediately.</li>
<li><strong>For servers.</strong> Keep keys out of web pages, URLs and source control.</li></ul></section>`
