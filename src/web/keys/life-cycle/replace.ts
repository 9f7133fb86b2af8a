import type { KeyOverview } from '../../../keys/overview.ts'
import { findKey } from '../../../keys/records.ts'
import { hasEnded } from '../../../keys/state.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { type Chrome, csrfField, heading, page } from '../../layout/page.ts'
import { idempotencyTokenOf } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { createOnce, readWorkingKey } from '../change.ts'
import { alreadyShownResponse, createdKeyResponse } from '../create/created.ts'
import { keyFacts } from '../key-parts.ts'

export async function showReplaceKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const { chrome } = context
  const key = await readWorkingKey(context)
  if (key.lastUsedAt !== null) return htmlResponse(409, usedKeyPage({ chrome, key }))
  return htmlResponse(200, replaceKeyPage({ chrome, key, once: createSecret() }))
}

/** For a key whose only showing was lost: it is revoked, and a new one shown in its place. */
export async function replaceKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const { chrome, keyId } = context
  const once = idempotencyTokenOf(await readForm(context, chrome.csrf))
  const replaced = createOnce(context, once, async (keys, tx) => {
    if ((await findKey(tx, keyId))?.lastUsedAt !== null) throw new KeyInUse()
    return keys.replace(keyId)
  })
  const created = await replaced.catch((error) => {
    if (error instanceof KeyInUse) return undefined
    throw error
  })
  if (created === undefined) return htmlResponse(409, usedKeyPage({ chrome, key: await readWorkingKey(context) }))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created, { label: created.replaced.label, worksUntil: null })
}

class KeyInUse extends Error {
  override name = 'KeyInUse'
}

/** GET …/keys/<id>/replace, which asks to confirm. POST sends `once`, and answers with the page of the new key. */
export interface ReplaceKeyModel {
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
