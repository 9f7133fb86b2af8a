import type { KeyOverview } from '../../keys/overview.ts'
import { hasEnded } from '../../keys/state.ts'
import { type Html, html, type Part, quoted } from '../../lib/html.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { type Clock, lastDay, momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { neverUsedOffer } from './replace-page.ts'
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
  return html`<p class="notice neutral">${icon('info')}<span>The old key of ${quoted(replaced.label)} ${fate}</span></p>`
}

/** The answer to a form that was sent again, such as by a double-click or a reload of the page of the new key. */
interface AlreadyShownModel {
  chrome: Chrome
  key: KeyOverview
  /** The idempotency token of the form that replaces it. */
  once: string
}

export function alreadyShownPage({ chrome, key, once }: AlreadyShownModel): string {
  const { slug } = chrome.workspace
  const title = 'Your key was created, but this answer cannot show it'
  const lead = html`The form was sent twice: by a double-click, a reload, or again after the connection was lost. The first time created ${quoted(key.label)} (<code>${key.prefix}…</code>), and only the answer to that could show the key. It is stored as a hash, so nobody can show it again.`
  const body = html`${heading({ title, lead, back: { href: paths.keys(slug), text: 'API keys' } })}
${neverUsedOffer({ chrome, key, once }) || sinceThen(key, chrome)}
<p class="buttons onward"><a class="button" href="${paths.key(slug, key.id)}">See this key</a><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p>`
  return page(chrome, { title, section: 'keys', body })
}

/** Of a key that cannot be replaced any more. */
function sinceThen(key: KeyOverview, chrome: Chrome): Html {
  const { slug } = chrome.workspace
  if (hasEnded(key) || key.state.kind === 'rotating')
    return html`<section class="panel prose"><p>${hasEnded(key) ? 'It has ended since then.' : 'It was rotated since then.'}</p></section>`
  const used = key.lastUsedAt !== null && relativeTime(key.lastUsedAt, chrome)
  return html`<section class="panel prose"><p>It was used ${used}, so it was copied in time. If not by you, rotate it.</p>
<p class="buttons"><a class="button" href="${paths.rotate(slug, key.id)}">Rotate ${quoted(key.label)}</a></p></section>`
}
