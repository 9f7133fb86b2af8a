import type { KeyDetail } from '../../keys/detail.ts'
import type { KeyOverview, KeyWarning } from '../../keys/overview.ts'
import { hasEnded } from '../../keys/state.ts'
import { type Html, html, named, type Part, quoted } from '../../lib/html.ts'
import type { Chrome } from '../layout/layout.ts'
import { dateTime, lastDay, momentTime, relativeTime, timeOfEnd } from '../layout/time.ts'
import { paths } from '../paths.ts'

/** What a person should know of this key, and what to do about it, the most urgent first. */
export function keyAdvice(key: KeyDetail, chrome: Chrome): Html[] {
  const notes = hasEnded(key)
    ? [...key.warnings.map((warning) => leakNote(key, warning, chrome)), endNote(key, chrome)]
    : [
        ...key.warnings.map((warning) => leakNote(key, warning, chrome)),
        ...stateNotes(key, chrome),
        ...idleNotes(key, chrome),
      ]
  return notes
}

const note = (tone: '' | 'warn' | 'bad', what: Part, rest: Part): Html =>
  html`<p class="note ${tone}"><strong>${what}</strong> ${rest}</p>
`

/** Whether a newer key has taken over, and works. */
export const workingSuccessor = ({ successors }: Pick<KeyDetail, 'successors'>): KeyOverview | undefined =>
  successors.find((successor) => !hasEnded(successor))

function leakNote(key: KeyDetail, { seen, at }: KeyWarning, chrome: Chrome): Html {
  const why =
    seen === 'url'
      ? 'URLs end up in logs and browser histories, so treat the key as leaked.'
      : 'Anyone who uses that browser can read the key. Keys belong on servers.'
  const { slug } = chrome.workspace
  const todo = hasEnded(key)
    ? ''
    : workingSuccessor(key) === undefined
      ? html` <a href="${paths.rotate(slug, key.id)}">Rotate it</a>`
      : html` Switch to its successor, then <a href="${paths.revoke(slug, key.id)}">revoke it</a>.`
  return note(
    'bad',
    html`Seen in a ${seen === 'url' ? 'URL' : 'browser'} on ${dateTime(at, chrome)}.`,
    html`${why}${todo}`,
  )
}

function endNote(key: KeyDetail, chrome: Chrome): Html {
  const { state, expiresAt } = key
  const successor = workingSuccessor(key)
  const next = successor === undefined ? '' : html` ${keyLink(successor, chrome)} has taken over.`
  const ended =
    state.kind === 'revoked'
      ? html`Revoked on ${momentTime(state.at, chrome)}.`
      : html`Expired${expiresAt !== null && html` after ${lastDay(expiresAt, chrome)}`}.`
  return note('', ended, html`It is refused, and can no longer be changed.${next}`)
}

function stateNotes(key: KeyDetail, chrome: Chrome): Html[] {
  const { state, id, expiresAt } = key
  const { slug } = chrome.workspace
  if (state.kind === 'paused')
    return [
      note(
        'warn',
        html`Paused ${relativeTime(state.at, chrome)}.`,
        'Its requests are refused as if it were revoked, until you resume it.',
      ),
    ]
  if (state.kind === 'rotating') return [rotationNote(key, state, chrome)]
  if (state.kind === 'expiring' && expiresAt !== null)
    return [
      note(
        'warn',
        html`Expires ${timeOfEnd(expiresAt, chrome)}, after ${lastDay(expiresAt, chrome)}.`,
        html`<a href="${paths.rotate(slug, id)}">Rotate it</a> before then, or <a href="${paths.editKey(slug, id)}">change its expiry</a>.`,
      ),
    ]
  return []
}

function rotationNote(key: KeyDetail, state: Extract<KeyDetail['state'], { kind: 'rotating' }>, chrome: Chrome): Html {
  const { slug } = chrome.workspace
  const cancel = html`<a href="${paths.cancelRotation(slug, key.id)}">cancel the rotation</a>`
  const until = html`It still works until ${momentTime(state.until, chrome)}.`
  if (!state.successor.works)
    return note(
      'bad',
      html`Its successor has ended: when this key stops, nothing takes over.`,
      html`${until} <a href="${paths.rotate(slug, key.id)}">Rotate it again</a>, or ${cancel}.`,
    )
  const successor = html`${quoted(state.successor.label)}`
  return state.stillUsed
    ? note(
        'warn',
        html`Being rotated, and still used: something has not switched over yet.`,
        html`${until} <a href="${paths.key(slug, state.successor.id)}">Its successor ${successor}</a> works already. To keep this key, ${cancel}.`,
      )
    : note(
        '',
        html`Being rotated.`,
        html`${until} <a href="${paths.key(slug, state.successor.id)}">Its successor ${successor}</a> works already. To keep this key, ${cancel}.`,
      )
}

function idleNotes(key: KeyDetail, chrome: Chrome): Html[] {
  const { slug } = chrome.workspace
  return [
    key.attention.includes('unused') &&
      note(
        'warn',
        html`Never used since ${dateTime(key.createdAt, chrome)}.`,
        html`If nothing needs it, <a href="${paths.revoke(slug, key.id)}">revoke it</a>.`,
      ),
    key.attention.includes('never_expires') &&
      note(
        '',
        'It never expires.',
        html`A key that leaks unnoticed then works for ever: <a href="${paths.editKey(slug, key.id)}">set an expiry</a>.`,
      ),
  ].filter((part) => part !== false)
}

export const keyLink = ({ id, label }: { id: string; label: string }, { workspace }: Chrome): Html =>
  html`<a href="${paths.key(workspace.slug, id)}">${named(label)}</a>`
