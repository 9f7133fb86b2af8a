import { paths } from '../paths.ts'
import { html, quoted } from './html.ts'
import { keyFacts } from './key-facts.ts'
import { csrfField, heading, page } from './layout.ts'
import type { RevokeModel } from './model.ts'

export function revokePage({ chrome, key }: RevokeModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const body = html`${heading({ title: html`Revoke ${quoted(key.label)}?`, lead: 'Whatever uses this key is refused from its next request on. This cannot be undone.', back: { href: keys, text: 'API keys' } })}
<form class="form panel" method="post" action="${paths.revoke(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome.now)}
<div class="buttons"><button class="button destructive">Revoke key</button><a class="button" href="${keys}">Keep it</a></div></form>`
  return page(chrome, { title: `Revoke ${key.label}`, section: 'keys', body })
}
