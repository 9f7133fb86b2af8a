import { type Html, html } from '../../lib/html.ts'
import { icon } from '../layout/icon.ts'
import { paths } from '../paths.ts'

/** The way to the first call, for a workspace without keys. */
export const emptyState = (slug: string): Html =>
  html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">Three steps to the first call</h2>
<p>A key lets one script or agent read this workspace: the nightly report that fetches today’s tasks, or the assistant in your
editor that answers “what is due this week?”.</p>
<ol class="steps"><li>${icon('key')}<h3>Create a key</h3><p>Name it after what will use it. You choose what it may read and when it expires.</p></li>
<li>${icon('terminal')}<h3>Connect your agent or script</h3><p>Paste the snippet for Claude Code, Cursor, VS Code, Codex, Gemini CLI, curl, TypeScript or Python: the key is filled in.</p></li>
<li>${icon('chart')}<h3>See the first call here</h3><p>The page says when the first request arrives, and what came of it. This list then shows who calls, and how often.</p></li></ol>
<p><a class="button primary" href="${paths.newKey(slug)}">${icon('plus')}Create the first key</a></p>
<ul class="facts"><li><strong>Read-only.</strong> No key can change or delete anything.</li>
<li><strong>Revocable.</strong> A revoked key is refused from its next request on.</li>
<li><strong>For servers.</strong> Keep keys out of web pages, URLs and source control.</li></ul></section>`
