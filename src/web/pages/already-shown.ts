import { paths } from '../paths.ts'
import { html, quoted } from './html.ts'
import { heading, page } from './layout.ts'
import type { AlreadyShownModel } from './model.ts'

export function alreadyShownPage({ chrome, key }: AlreadyShownModel): string {
  const { slug } = chrome.workspace
  const body = html`${heading({ title: 'This key was shown once already', back: { href: paths.keys(slug), text: 'API keys' } })}
<section class="panel prose"><p>The key ${quoted(key.label)} (<code>${key.prefix}…</code>) was made, and shown to whoever made it. Only a fingerprint of it is kept, so it cannot be shown again.</p>
<p>If it was not copied, rotate it: the successor has the same rights.</p>
<p class="buttons"><a class="button primary" href="${paths.rotate(slug, key.id)}">Rotate ${quoted(key.label)}</a><a class="button" href="${paths.keys(slug)}">Back to the keys</a></p></section>`
  return page(chrome, { title: 'Shown once already', section: 'keys', body })
}
