import { KeyChangeError } from '../../../keys/change-error.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { endOf } from '../../../keys/state.ts'
import { html, type Part, quoted } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { radios } from '../../layout/field.ts'
import { icon } from '../../layout/icon.ts'
import { type Chrome, csrfField, heading, page } from '../../layout/page.ts'
import { dateTime, momentTime } from '../../layout/time.ts'
import { idempotencyTokenOf, incompleteForm } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { createOnce, readWorkingKey } from '../change.ts'
import { alreadyShownResponse, createdKeyResponse } from '../create/created.ts'
import { workingSuccessor } from '../key/advice.ts'
import { keyFacts } from '../key-parts.ts'

export async function showRotateKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const { chrome } = context
  const key = await readWorkingKey(context)
  if (workingSuccessor(key) !== undefined) throw new KeyChangeError('rotated', `the key ${key.id} was rotated already`)
  const chosen = draftOf(context)?.get('overlap') ?? ''
  // Whoever has a leaked key should lose it now.
  const usual = key.warnings.length > 0 ? '0' : '24h'
  const overlap = isOverlap(chosen) ? chosen : usual
  return htmlResponse(200, rotateKeyPage({ chrome, key, overlap, once: createSecret() }))
}

export async function rotateKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const once = idempotencyTokenOf(form)
  const overlap = form.get('overlap') ?? ''
  if (!isOverlap(overlap)) throw incompleteForm('Choose how long the old key keeps working.')
  const created = await createOnce(context, once, (keys) => keys.rotate(context.keyId, overlaps[overlap].ms))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  const { replaced } = created
  const worksUntil = replaced.revokedAt === null ? endOf(replaced) : null
  return createdKeyResponse(context, created, { label: replaced.label, worksUntil })
}

const isOverlap = (text: string): text is keyof typeof overlaps => Object.hasOwn(overlaps, text)

const HOUR_MS = 3_600_000

/** How long the old key keeps working; the field `overlap`. */
export const overlaps = {
  '0': { text: 'It is revoked at once', ms: 0 },
  '1h': { text: '1 hour', ms: HOUR_MS },
  '24h': { text: '24 hours', ms: 24 * HOUR_MS },
  '7d': { text: '7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { text: '30 days', ms: 30 * 24 * HOUR_MS },
} as const
type Overlap = keyof typeof overlaps

/** GET …/keys/<id>/rotate. POST sends `overlap` and `once`, and answers with the page of the new key. */
export interface RotateKeyModel {
  chrome: Chrome
  key: KeyOverview
  overlap: Overlap
  /** The form's idempotency token. */
  once: string
}

export function rotateKeyPage({ chrome, key, overlap, once }: RotateKeyModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const same = 'You get a new key with the same permissions, rate limit and lifetime.'
  const switching = ' The old key keeps working for a while, so nothing breaks while you switch over.'
  const lead = key.warnings.length > 0 ? same : same + switching
  const choices = Object.entries(overlaps).map(([value, { text }]) => ({ value, text }))
  const body = html`${heading({ title: html`Rotate ${quoted(key.label)}`, lead, back: { href: keys, text: 'API keys' } })}
${leakNotice(key, chrome)}${unfinishedNotice(key, chrome)}
<form class="form panel" method="post" action="${paths.rotate(slug, key.id)}">${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${keyFacts(key, chrome)}
<fieldset class="field"><legend>How long the old key keeps working</legend>${radios('overlap', choices, overlap)}
<p class="hint">Never past its own expiry.${key.warnings.length === 0 && ' If the key has leaked, choose that it is revoked at once.'}</p></fieldset>
<div class="buttons"><button class="button primary" data-pending="Rotating…">Rotate key</button><a class="button" href="${keys}">Cancel</a></div></form>`
  return page(chrome, { title: `Rotate ${key.label}`, section: 'keys', body })
}

const places = { url: 'in a URL', browser: 'in a browser' } as const

/** Nothing for a key that was only ever sent where keys belong. */
export function leakNotice({ warnings }: Pick<KeyOverview, 'warnings'>, chrome: Chrome): Part {
  if (warnings.length === 0) return null
  const seen = warnings.map(
    ({ seen, at }, index) => html`${index > 0 && ' and '}${places[seen]} on ${dateTime(at, chrome)}`,
  )
  return html`<p class="notice bad" role="alert">${icon('warning')}<span><strong>This key has leaked: it was seen ${seen}.</strong> Whoever found it can read this workspace until it stops working, so it is best revoked at once.</span></p>`
}

/** The form of a key whose rotation came to nothing. */
function unfinishedNotice({ id, state }: KeyOverview, chrome: Chrome): Part {
  if (state.kind !== 'rotating') return null
  const cancel = html`<a href="${paths.cancelRotation(chrome.workspace.slug, id)}">cancel the rotation</a>`
  return html`<p class="notice warn">${icon('warning')}<span>It was rotated before, but ${quoted(state.successor.label)}, which took over, no longer works. This key works until ${momentTime(state.until, chrome)}. Rotate it again, or ${cancel} so that it goes on as before.</span></p>`
}
