import { paths } from '../paths.ts'
import { snippets } from '../snippets.ts'
import { type Html, html, type Part, quoted } from './html.ts'
import { heading, page } from './layout.ts'
import type { FirstUse, MadeModel } from './model.ts'
import { dateTime, momentTime } from './time.ts'

/** The one page that holds a key. What holds it is marked `data-secret`, and the script wipes that on leaving. */
export function madePage(model: MadeModel): string {
  const { chrome, token, key, replaced } = model
  const { slug } = chrome.workspace
  const title = replaced === null ? 'Your new key' : 'The successor is ready'
  const lead = html`${quoted(key.label)} may use ${key.permissions.map((name, index) => html`${index > 0 && ' and '}<code>${name}</code>`)}${key.expiresAt === null ? '. It does not expire' : html` until ${dateTime(key.expiresAt)}`}.`
  const body = html`${heading({ title, lead, back: { href: paths.keys(slug), text: 'API keys' } })}
${oldKey(replaced)}
<section class="panel made" aria-labelledby="key-title"><h2 id="key-title">Copy it now</h2>
<p class="hint">This is the only time it is shown. Only a fingerprint of it is kept, so nobody can show it to you again.</p>
<div class="secret"><code id="key" data-secret>${token}</code>${copyButton('key', 'Copy key')}</div>
${waitingLine(model)}</section>
<section class="panel use" aria-labelledby="use-title"><h2 id="use-title">Use it</h2>
<p class="hint">Ready to paste, with the key inside. Keep it on your machine or server: not in a web page, a URL or source control.</p>
<div class="snippets" data-tabs="Snippets">${snippetList(model)}</div></section>
<p class="buttons"><a class="button" href="${paths.keys(slug)}">Done, I have copied it</a></p>`
  return page(chrome, { title, section: 'keys', body })
}

const copyButton = (target: string, text: string): Html =>
  html`<button type="button" class="button copy" data-copy="${target}" hidden><span aria-live="polite">${text}</span></button>`

function snippetList({ token, serviceUrl, examplePath }: MadeModel): Html[] {
  return snippets({ token, serviceUrl, examplePath }).map(
    ({ id, title, where, text }, index) =>
      html`<details class="snippet" id="snippet-${id}" open><summary>${title}</summary><div class="snippet-body"><div class="snippet-head"><p class="hint">${where}</p>${copyButton(`code-${id}`, 'Copy')}</div>
<pre tabindex="0" aria-label="${title}"><code id="code-${id}" data-secret>${text}</code></pre></div></details>${index >= 0 && '\n'}`,
  )
}

function oldKey(replaced: MadeModel['replaced']): Part {
  if (replaced === null) return null
  const fate =
    replaced.worksUntil === null
      ? 'has stopped working.'
      : html`still works until ${momentTime(replaced.worksUntil)}. The list of keys tells whether it is still being used.`
  return html`<p class="notice neutral">The old key of ${quoted(replaced.label)} ${fate}</p>`
}

function waitingLine({ chrome, key, firstUse }: MadeModel): Html {
  const arrived = firstUse !== null
  const poll = html` data-first-use="${paths.firstUse(chrome.workspace.slug, key.id)}"`
  return html`<p class="waiting${arrived ? ' arrived' : ''}" role="status" aria-live="polite"${!arrived && poll}><span class="dot" aria-hidden="true"></span><span data-text>${arrived ? arrivedText(firstUse) : 'Waiting for the first request…'}</span></p>
${!arrived && html`<noscript><p class="hint">This line does not change by itself without JavaScript: the list of keys shows when the key was last used.</p></noscript>`}`
}

const arrivedText = ({ from }: FirstUse): string => `First request just now${from === null ? '' : `, from ${from}`}`
