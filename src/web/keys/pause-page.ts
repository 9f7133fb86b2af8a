import type { KeyOverview } from '../../keys/overview.ts'
import { html, quoted } from '../../lib/html.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { keyFacts } from './key-parts.ts'

/** GET …/keys/<id>/pause. POST answers 303 to the key's page with a notice. */
interface PauseKeyModel {
  chrome: Chrome
  key: KeyOverview
}

export function pauseKeyPage({ chrome, key }: PauseKeyModel): string {
  const { slug } = chrome.workspace
  const back = paths.key(slug, key.id)
  const body = html`${heading({ title: html`Pause ${quoted(key.label)}?`, lead: 'Whatever uses this key is refused from its next request on, with the same answer as for a revoked key (401), until you resume it. The key itself stays as it is, and its expiry date too.', back: { href: back, text: key.label } })}
<form class="form panel" method="post" action="${paths.pause(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome)}
<div class="buttons"><button class="button primary" data-pending="Pausing…">Pause key</button><a class="button" href="${back}">Keep it working</a></div></form>`
  return page(chrome, { title: `Pause ${key.label}`, section: 'keys', body })
}
