import { hasEnded, type KeyState } from '../../keys/state.ts'
import { paths } from '../paths.ts'
import { type Html, html, type Part } from './html.ts'
import type { KeyRow, KeyWarning } from './model.ts'
import { dateTime, momentTime, relativeTime } from './time.ts'

const words: Record<KeyState['kind'], string> = {
  live: 'Live',
  expiring: 'Expiring',
  rotating: 'Rotating',
  expired: 'Expired',
  revoked: 'Revoked',
}

export const statePill = ({ kind }: KeyState): Html =>
  html`<span class="pill ${kind}"><span class="dot" aria-hidden="true"></span>${words[kind]}</span>`

/** What a person should know or do about this key, in sentences under its row. */
export function keyNotes(key: KeyRow, slug: string): Html[] {
  const rotate =
    hasEnded(key) || key.state.kind === 'rotating' ? '' : html` <a href="${paths.rotate(slug, key.id)}">Rotate it</a>`
  return [...key.warnings.map((warning) => warningNote(warning, rotate)), ...stateNotes(key.state)]
}

function warningNote({ seen, at }: KeyWarning, rotate: Part): Html {
  const where = seen === 'url' ? 'in a URL' : 'in a browser'
  const why =
    seen === 'url'
      ? 'URLs end up in logs and histories, so take the key for leaked.'
      : 'Whatever a browser holds, its user can read. Keys belong on servers.'
  const todo = rotate === '' ? '.' : ': rotate it.'
  return html`<p class="note bad"><strong>Seen ${where} on ${dateTime(at)}${todo}</strong> ${why}${rotate}</p>`
}

function stateNotes(state: KeyState): Html[] {
  if (state.kind !== 'rotating') return []
  const still =
    state.stillUsed && html` <strong>The old key is still being used:</strong> something has not changed over yet.`
  return [
    html`<p class="note${state.stillUsed ? ' warn' : ''}">The old key still works until ${momentTime(state.until)}.${still}</p>`,
  ]
}

export function expiryText({ expiresAt }: { expiresAt: string | null }, now: string): Part {
  return expiresAt === null ? 'Never' : relativeTime(expiresAt, now)
}
