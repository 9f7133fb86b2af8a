import { type Html, html, type Part, quoted } from '../../lib/html.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { type Clock, lastDay, momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { type SnippetFacts, snippets } from './snippets.ts'

/** The one page that ever holds a key. Sent with `Cache-Control: no-store`. */
export interface CreatedKeyModel extends SnippetFacts {
  chrome: Chrome
  key: { id: string; label: string; permissions: string[]; expiresAt: string | null }
  /** When it came from a rotation: the old key's label, and until when it works (null: not any more). */
  replaced: { label: string; worksUntil: string | null } | null
}

/** What holds the key is marked `data-secret`, and the script wipes that on leaving. */
export function createdKeyPage(model: CreatedKeyModel): string {
  const { chrome, token, key, replaced } = model
  const { slug } = chrome.workspace
  const title = replaced === null ? 'Your new key' : 'Your new key is ready'
  const lead = html`${quoted(key.label)} may use ${key.permissions.map((name, index) => html`${index > 0 && ' and '}<code>${name}</code>`)}${key.expiresAt === null ? '. It does not expire' : html` until ${lastDay(key.expiresAt, chrome)}`}.`
  const body = html`${heading({ title, lead, back: { href: paths.keys(slug), text: 'API keys' } })}
${oldKey(replaced, chrome)}
<section class="panel created" aria-labelledby="key-title"><h2 id="key-title">Copy it now</h2>
<p class="hint" id="key-hint">This is the only time it is shown. Only its hash is stored, so nobody can show it to you again.</p>
<div class="secret"><code id="key" data-key data-secret role="textbox" aria-readonly="true" aria-labelledby="key-title" aria-describedby="key-hint" tabindex="0" autofocus>${token}</code>${copyButton('key', 'Copy key')}</div>
<p class="waiting" role="status" data-first-use="${paths.firstUse(slug, key.id)}" data-ended="${WATCH_ENDED}"><span class="dot" aria-hidden="true"></span><span data-text>Waiting for the first request…</span></p>
<noscript><p class="hint">Without JavaScript this line does not update: the list of keys shows when the key was last used.</p></noscript></section>
<section class="panel use" aria-labelledby="use-title"><h2 id="use-title">Use it</h2>
<p class="hint">Ready to paste, with the key filled in. Keep it on your machine or server: not in a web page, a URL or source control.</p>
<div class="snippets" data-tabs="Snippets">${snippetList(model)}</div></section>
<p class="buttons"><a class="button" href="${paths.keys(slug)}" data-key-is-safe>Done, I have copied it</a></p>`
  return page(chrome, { title, section: 'keys', body })
}

const WATCH_ENDED =
  'You are signed out, so this line no longer updates. The list of keys shows when the key was last used.'

const copyButton = (target: string, text: string): Html =>
  html`<button type="button" class="button copy" data-copy="${target}" hidden><span aria-live="polite">${text}</span></button>`

const snippetList = (facts: SnippetFacts): Html[] =>
  snippets(facts).map(
    ({ id, title, where, text }) =>
      html`<details class="snippet" id="snippet-${id}" open><summary>${title}</summary><div class="snippet-body"><div class="snippet-head"><p class="hint">${where}</p>${copyButton(`code-${id}`, 'Copy')}</div>
<pre tabindex="0" aria-label="${title}"><code id="code-${id}" data-secret>${text}</code></pre></div></details>
`,
  )

function oldKey(replaced: CreatedKeyModel['replaced'], clock: Clock): Part {
  if (replaced === null) return null
  const fate =
    replaced.worksUntil === null
      ? 'has stopped working.'
      : html`still works until ${momentTime(replaced.worksUntil, clock)}. The list of keys shows whether it is still being used.`
  return html`<p class="notice neutral">The old key of ${quoted(replaced.label)} ${fate}</p>`
}

/** What a reload of that page gets instead of the key. */
export interface AlreadyShownModel {
  chrome: Chrome
  key: { id: string; label: string; prefix: string }
}

export function alreadyShownPage({ chrome, key }: AlreadyShownModel): string {
  const { slug } = chrome.workspace
  const body = html`${heading({ title: 'This key has already been shown', back: { href: paths.keys(slug), text: 'API keys' } })}
<section class="panel prose"><p>The key ${quoted(key.label)} (<code>${key.prefix}…</code>) was created, and shown to the person who created it. Only its hash is stored, so it cannot be shown again.</p>
<p>If it was not copied, rotate it: the new key has the same permissions.</p>
<p class="buttons"><a class="button primary" href="${paths.rotate(slug, key.id)}">Rotate ${quoted(key.label)}</a><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p></section>`
  return page(chrome, { title: 'Already shown', section: 'keys', body })
}
