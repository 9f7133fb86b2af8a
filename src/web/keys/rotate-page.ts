import type { KeyOverview } from '../../keys/overview.ts'
import { html, type Part, quoted } from '../../lib/html.ts'
import { radios } from '../layout/field.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { dateTime, momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { keyFacts } from './key-parts.ts'

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
interface RotateKeyModel {
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
