import type { KeyDetail, KeyOverview } from '../../../keys/overview.ts'
import { endOf, hasEnded, type KeyState } from '../../../keys/state.ts'
import { type Html, html, inQuotes, isolated, type Part } from '../../html.ts'
import type { PageFrame } from '../../layout/page.ts'
import { lastDay, momentTime, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { attentionNote, leakText, note } from '../attention.ts'
import { keyMark } from '../key-parts.ts'

/** The most urgent comes first. */
export function keyAdvice(key: KeyDetail, frame: PageFrame): Html[] {
  if (hasEnded(key)) {
    const leaks = key.leak === null ? [] : [note('bad', 'It may have leaked.', leakText(key.leak, frame))]
    return [...leaks, endNote(key, frame)]
  }
  // The rotation's own note is more detailed.
  const reasons = key.attention.filter((kind) => kind !== 'rotation_unfinished')
  return [
    ...reasons.map((kind) => attentionNote(kind, key, frame)),
    ...stateNotes(key, frame),
    ...outsideNotes(key, frame),
  ]
}

function outsideNotes({ id, networks, lastOutside }: KeyDetail, frame: PageFrame): Html[] {
  if (networks === null || lastOutside === null) return []
  const edit = html`<a href="${paths.key(frame.workspace.slug, id, 'edit')}">add its network</a>`
  const text = html`The last such request came from ${isolated(lastOutside)}. If it is yours, ${edit}.`
  return [note('warn', 'Refused from another network.', text)]
}

export const workingSuccessor = ({ successors }: Pick<KeyDetail, 'successors'>): KeyOverview | undefined =>
  successors.find((successor) => !hasEnded(successor))

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
  const { state, retiresAt } = key
  if (state.kind === 'rotating') return [rotationNote(key, state, frame)]
  if (state.kind !== 'paused') return []
  const rotation =
    retiresAt !== null &&
    html` It is also being rotated, which ends it on ${momentTime(retiresAt, frame)}: ${cancelLink(key, frame)} to keep it.`
  const effect = 'Requests with it are refused, as if it were revoked, until you resume it.'
  return [note('warn', html`Paused ${relativeTime(state.at, frame)}.`, html`${effect}${rotation}`)]
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
  const shown = key.successors.find(({ id }) => id === successor.id)
  const isPaused = shown?.state.kind === 'paused'
  const next = html`<a href="${paths.key(slug, successor.id)}">Its successor ${inQuotes(successor.label)}</a> ${shown !== undefined && keyMark(shown)} ${isPaused ? 'is paused: resume it before then' : 'already works'}. To keep this key, ${cancelLink(key, frame)}.`
  return stillUsed
    ? note('warn', 'Being rotated, and still used: something has not switched over yet.', html`${works} ${next}`)
    : note('', 'Being rotated.', html`${works} ${next}`)
}

/** Keys with the same label differ by their mark. */
export const keyLink = (key: Pick<KeyOverview, 'id' | 'label' | 'prefix' | 'client'>, { workspace }: PageFrame): Html =>
  html`<a href="${paths.key(workspace.slug, key.id)}">${isolated(key.label)}</a> ${keyMark(key)}`
