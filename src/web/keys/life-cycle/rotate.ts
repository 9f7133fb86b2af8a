import { KeyChangeError } from '../../../keys/life-cycle.ts'
import type { KeyDetail, KeyOverview } from '../../../keys/overview.ts'
import { endOf } from '../../../keys/state.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { incompleteForm } from '../../form.ts'
import { type Html, html, inQuotes, type Part } from '../../html.ts'
import { radios } from '../../layout/field.ts'
import { noticeLine, type PageFrame } from '../../layout/page.ts'
import { lastDay, momentTime, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { leakText } from '../attention.ts'
import { changeAndShow, changeKey, createOnce, readWorkingKey } from '../change.ts'
import { createdKeyResponse } from '../create/created.ts'
import { workingSuccessor } from '../key/advice.ts'
import { confirmKeyPage } from '../key-parts.ts'

const overlaps = {
  '0': { text: 'It is revoked immediately', ms: 0 },
  '1h': { text: '1 hour', ms: HOUR_MS },
  '24h': { text: '24 hours', ms: 24 * HOUR_MS },
  '7d': { text: '7 days', ms: 7 * DAY_MS },
  '30d': { text: '30 days', ms: 30 * DAY_MS },
} as const
type Overlap = keyof typeof overlaps
const isOverlap = (text: string): text is Overlap => Object.hasOwn(overlaps, text)

const overlapField = (chosen: Overlap, hint: Part): Html => {
  const choices = Object.entries(overlaps).map(([value, { text }]) => ({ value, text }))
  return html`<fieldset class="field"><legend>How long the old key keeps working</legend>${radios('overlap', choices, chosen)}
<p class="hint">Never past its own expiry.${hint}</p></fieldset>`
}

export const showRotateKeyForm: WorkspaceHandler = async (context) => {
  const key = await readWorkingKey(context)
  if (key.client !== null) throw new KeyChangeError('connected', `the key ${key.id} is a connection`)
  if (workingSuccessor(key) !== undefined)
    throw new KeyChangeError('rotated', `the key ${key.id} has already been rotated`)
  const chosen = context.draft?.get('overlap') ?? ''
  // A leaked key should stop working now, and no one misses a key that was never used.
  const usual = key.leak !== null || key.lastUsedAt === null ? '0' : '24h'
  return htmlResponse(200, rotateKeyPage(context.frame, key, isOverlap(chosen) ? chosen : usual))
}

export const rotateKey: WorkspaceHandler = async (context, form) => {
  const overlap = form.get('overlap') ?? ''
  if (!isOverlap(overlap)) throw incompleteForm('Choose how long the old key keeps working.')
  const created = await changeKey(context, (keys, { id }, tx) =>
    createOnce(context, tx, form, () => keys.rotate(id, overlaps[overlap].ms)),
  )
  const { replaced } = created
  const worksUntil = replaced.revokedAt === null ? endOf(replaced) : null
  return createdKeyResponse(context, created, { replaced: { label: replaced.label, worksUntil }, unfilled: [] })
}

export function rotateKeyPage(frame: PageFrame, key: KeyOverview, overlap: Overlap): string {
  const isLeaked = key.leak !== null
  const same = 'You get a new key with the same permissions, rows, rate limit, networks and lifetime.'
  const switching = ' The old key keeps working for a while, so nothing breaks while you switch over.'
  return confirmKeyPage(frame, key, {
    verb: 'Rotate',
    lead: isLeaked || overlap === '0' ? same : same + switching,
    notices: [leakNotice(key, frame), unfinishedNotice(key, frame)],
    action: 'rotate',
    once: true,
    fields: overlapField(overlap, !isLeaked && ' If the key may have leaked, choose to revoke it immediately.'),
    button: { text: 'Rotate key', pending: 'Rotating…' },
    cancel: 'Cancel',
  })
}

const leakNotice = (key: KeyOverview, frame: PageFrame): Part =>
  key.leak !== null &&
  noticeLine(
    'bad',
    html`<strong>This key may have leaked. ${leakText(key.leak, frame)}</strong> Anyone who found it can read this workspace until it stops working, so let it end immediately.`,
    'alert',
  )

/** The successor ended before this key did. */
function unfinishedNotice({ id, state }: KeyOverview, frame: PageFrame): Part {
  if (state.kind !== 'rotating') return null
  const cancel = html`<a href="${paths.key(frame.workspace.slug, id, 'cancel-rotation')}">cancel the rotation</a>`
  return noticeLine(
    'warn',
    html`It was rotated before, but ${inQuotes(state.successor.label)}, which took over, no longer works. This key works until ${momentTime(state.until, frame)}. Rotate it again, or ${cancel} so that it keeps working as before.`,
  )
}

export const showCancelRotationForm: WorkspaceHandler = async (context) => {
  const key = await readWorkingKey(context)
  // A paused key may be in rotation too.
  if (key.state.kind !== 'rotating' && key.retiresAt === null)
    return redirect(paths.key(context.workspace.slug, key.id))
  return htmlResponse(200, cancelRotationPage(context.frame, key))
}

export const cancelRotation: WorkspaceHandler = (context) =>
  changeAndShow(context, 'rotation-cancelled', (keys, { id }) => keys.cancelRotation(id))

function cancelRotationPage(frame: PageFrame, key: KeyDetail): string {
  const end =
    key.expiresAt === null ? 'it does not expire' : html`until its own expiry, ${lastDay(key.expiresAt, frame)}`
  return confirmKeyPage(frame, key, {
    verb: 'Cancel the rotation of',
    lead: html`It keeps working as before the rotation: ${end}. ${fateOfSuccessor(key, frame)}`,
    notices: leakNotice(key, frame),
    action: 'cancel-rotation',
    button: { text: 'Cancel the rotation', pending: 'Cancelling…', isDestructive: true },
    cancel: 'Continue rotating',
  })
}

function fateOfSuccessor(key: KeyDetail, frame: PageFrame): Html {
  const successor = workingSuccessor(key)
  if (successor === undefined) return html`The replacement key has already stopped working.`
  const use =
    successor.lastUsedAt === null
      ? 'It was never used.'
      : html`<strong>It was last used ${relativeTime(successor.lastUsedAt, frame)}:</strong> requests with it will be refused immediately.`
  return html`The new key ${inQuotes(successor.label)} (<code>${successor.prefix}…</code>) is revoked. ${use}`
}
