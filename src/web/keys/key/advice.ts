import type { KeyDetail } from '../../../keys/detail.ts'
import type { KeyOverview, KeyWarning } from '../../../keys/overview.ts'
import { endOf, hasEnded, type KeyState } from '../../../keys/state.ts'
import { type Html, html, named, type Part, quoted } from '../../../lib/html.ts'
import type { PageFrame } from '../../layout/page.ts'
import { dateTime, lastDay, momentTime, relativeTime, timeOfEnd } from '../../layout/time.ts'
import { paths } from '../../paths.ts'

/** What a person should know of this key, and what to do about it, the most urgent first. */
export function keyAdvice(key: KeyDetail, frame: PageFrame): Html[] {
  const leaks = key.warnings.map((warning) => leakNote(key, warning, frame))
  return hasEnded(key)
    ? [...leaks, endNote(key, frame)]
    : [...leaks, ...stateNotes(key, frame), ...idleNotes(key, frame)]
}

const note = (tone: '' | 'warn' | 'bad', what: Part, rest: Part): Html =>
  html`<p class="note ${tone}"><strong>${what}</strong> ${rest}</p>
`

/** Whether a newer key has taken over, and works. */
export const workingSuccessor = ({ successors }: Pick<KeyDetail, 'successors'>): KeyOverview | undefined =>
  successors.find((successor) => !hasEnded(successor))

function leakNote(key: KeyDetail, { seen, at }: KeyWarning, frame: PageFrame): Html {
  const where = seen === 'url' ? 'URL' : 'browser'
  const why =
    seen === 'url'
      ? 'URLs end up in logs and browser histories, so treat the key as leaked.'
      : 'Anyone who uses that browser can read the key. Keys belong on servers.'
  const { slug } = frame.workspace
  const todo =
    workingSuccessor(key) === undefined
      ? html` <a href="${paths.key(slug, key.id, 'rotate')}">Rotate it</a>`
      : html` Switch to its successor, then <a href="${paths.key(slug, key.id, 'revoke')}">revoke it</a>.`
  return note('bad', html`Seen in a ${where} on ${dateTime(at, frame)}.`, html`${why}${!hasEnded(key) && todo}`)
}

function endNote(key: KeyDetail, frame: PageFrame): Html {
  const successor = workingSuccessor(key)
  const next = successor !== undefined && html` ${keyLink(successor, frame)} has taken over.`
  return note('', endText(key, frame), html`It is refused, and can no longer be changed.${next}`)
}

function endText(key: KeyDetail, frame: PageFrame): Part {
  const { state, expiresAt, retiresAt } = key
  if (state.kind === 'revoked') return html`Revoked on ${momentTime(state.at, frame)}.`
  if (retiresAt !== null && endOf(key) === retiresAt)
    return html`Its rotation ended on ${momentTime(retiresAt, frame)}.`
  return expiresAt === null ? 'Expired.' : html`Expired: ${lastDay(expiresAt, frame)} was its last day.`
}

function stateNotes(key: KeyDetail, frame: PageFrame): Html[] {
  const { state, id, expiresAt, retiresAt } = key
  const { slug } = frame.workspace
  if (state.kind === 'paused') {
    const rotation =
      retiresAt !== null &&
      html` It is also being rotated, which ends it on ${momentTime(retiresAt, frame)}: ${cancelLink(key, frame)} to keep it.`
    const effect = 'Its requests are refused as if it were revoked, until you resume it.'
    return [note('warn', html`Paused ${relativeTime(state.at, frame)}.`, html`${effect}${rotation}`)]
  }
  if (state.kind === 'rotating') return [rotationNote(key, state, frame)]
  if (state.kind !== 'expiring' || expiresAt === null) return []
  const todo = html`<a href="${paths.key(slug, id, 'rotate')}">Rotate it</a> before then, or <a href="${paths.key(slug, id, 'edit')}">change its expiry</a>.`
  return [
    note('warn', html`It expires ${timeOfEnd(expiresAt, frame)}; ${lastDay(expiresAt, frame)} is its last day.`, todo),
  ]
}

const cancelLink = ({ id }: KeyDetail, { workspace }: PageFrame): Html =>
  html`<a href="${paths.key(workspace.slug, id, 'cancel-rotation')}">cancel the rotation</a>`

function rotationNote(key: KeyDetail, state: Extract<KeyState, { kind: 'rotating' }>, frame: PageFrame): Html {
  const { until, stillUsed, successor } = state
  const { slug } = frame.workspace
  const works = html`It still works until ${momentTime(until, frame)}.`
  if (!successor.works) {
    const todo = html`<a href="${paths.key(slug, key.id, 'rotate')}">Rotate it again</a>, or ${cancelLink(key, frame)}.`
    return note('bad', 'Its successor has ended: when this key stops, nothing takes over.', html`${works} ${todo}`)
  }
  const isPaused = key.successors.some(({ id, state }) => id === successor.id && state.kind === 'paused')
  const next = html`<a href="${paths.key(slug, successor.id)}">Its successor ${quoted(successor.label)}</a> ${isPaused ? 'is paused: resume it before then' : 'works already'}. To keep this key, ${cancelLink(key, frame)}.`
  return stillUsed
    ? note('warn', 'Being rotated, and still used: something has not switched over yet.', html`${works} ${next}`)
    : note('', 'Being rotated.', html`${works} ${next}`)
}

function idleNotes({ attention, id, lastUsedAt, createdAt }: KeyDetail, frame: PageFrame): Html[] {
  const { slug } = frame.workspace
  const idle =
    lastUsedAt === null
      ? html`Never used since it was created on ${dateTime(createdAt, frame)}.`
      : html`Not used since ${dateTime(lastUsedAt, frame)}.`
  const revoke = html`If nothing needs it, <a href="${paths.key(slug, id, 'revoke')}">revoke it</a>.`
  const expire = html`If it leaks unnoticed, it works for ever: <a href="${paths.key(slug, id, 'edit')}">set an expiry</a>.`
  return [
    attention.includes('unused') && note('warn', idle, revoke),
    attention.includes('never_expires') && note('', 'It never expires.', expire),
  ].filter((part) => part !== false)
}

export const keyLink = ({ id, label }: { id: string; label: string }, { workspace }: PageFrame): Html =>
  html`<a href="${paths.key(workspace.slug, id)}">${named(label)}</a>`
