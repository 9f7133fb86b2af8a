import type { KeyOverview } from '../../keys/overview.ts'
import { hasEnded } from '../../keys/state.ts'
import { type Html, html, type Part, quoted } from '../../lib/html.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { keyFacts } from './key-parts.ts'

/** GET …/keys/<id>/replace, which asks to confirm. POST sends `once`, and answers with the page of the new key. */
interface ReplaceKeyModel {
  chrome: Chrome
  key: KeyOverview
  /** The form's idempotency token. */
  once: string
}

/** Whether nobody can miss it: no request ever came with it, and no other key took over. */
export const isReplaceable = (key: Pick<KeyOverview, 'lastUsedAt' | 'state'>): boolean =>
  key.lastUsedAt === null && !hasEnded(key) && key.state.kind !== 'rotating'

const consequence = 'It is revoked, and a new key with the same permissions, rate limit and expiry is shown at once.'

export function replaceKeyPage(model: ReplaceKeyModel): string {
  const { chrome, key } = model
  const keys = paths.keys(chrome.workspace.slug)
  const keep = html`<a class="button" href="${keys}">Keep it</a>`
  const body = html`${heading({ title: html`Replace ${quoted(key.label)}?`, lead: `For a key that nobody has. ${consequence}`, back: { href: keys, text: 'API keys' } })}
<section class="panel prose">${keyFacts(key, chrome)}</section>
${replaceForm(model, keep)}`
  return page(chrome, { title: `Replace ${key.label}`, section: 'keys', body })
}

/** The response for a key that was used: replacing it would cut somebody off. */
export function usedKeyPage({ chrome, key }: Omit<ReplaceKeyModel, 'once'>): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const lead =
    'So somebody has it, and would be refused. Rotate it instead: you choose how long the old key keeps working.'
  const body = html`${heading({ title: html`${quoted(key.label)} has been used`, lead, back: { href: keys, text: 'API keys' } })}
<section class="panel prose">${keyFacts(key, chrome)}</section>
<p class="buttons"><a class="button primary" href="${paths.rotate(slug, key.id)}">Rotate ${quoted(key.label)}</a><a class="button" href="${keys}">Back to the keys</a></p>`
  return page(chrome, { title: `${key.label} has been used`, section: 'keys', body })
}

/** For whoever never saw the key. Nothing where the key was used, or has ended. */
export const neverUsedOffer = (model: ReplaceKeyModel): Part =>
  isReplaceable(model.key) &&
  html`<section class="panel prose" aria-labelledby="never-used"><h2 id="never-used">Not copied?</h2>
<p>${quoted(model.key.label)} (<code>${model.key.prefix}…</code>) was never used. If nobody has it, replace it. ${consequence}</p>
${replaceForm(model, null)}</section>`

const replaceForm = ({ chrome, key, once }: ReplaceKeyModel, more: Part): Html =>
  html`<form method="post" action="${paths.replaceKey(chrome.workspace.slug, key.id)}">${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
<p class="buttons"><button class="button primary" data-pending="Replacing…">Replace it</button>${more}</p></form>`
