import type { KeyOverview } from '../../keys/overview.ts'
import { html, quoted } from '../../lib/html.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { keyFacts } from './key-parts.ts'

/** GET …/keys/<id>/revoke. POST answers 303 to the list with a notice. */
export interface RevokeKeyModel {
  chrome: Chrome
  key: KeyOverview
}

export function revokeKeyPage({ chrome, key }: RevokeKeyModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const body = html`${heading({ title: html`Revoke ${quoted(key.label)}?`, lead: 'Whatever uses this key is refused from its next request on. This cannot be undone.', back: { href: keys, text: 'API keys' } })}
<form class="form panel" method="post" action="${paths.revoke(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome)}
<div class="buttons"><button class="button destructive" data-pending="Revoking…">Revoke key</button><a class="button" href="${keys}">Keep it</a></div></form>`
  return page(chrome, { title: `Revoke ${key.label}`, section: 'keys', body })
}
