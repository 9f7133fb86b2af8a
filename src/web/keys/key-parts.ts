import type { KeyOverview } from '../../keys/overview.ts'
import { endOf, hasEnded, type KeyState } from '../../keys/state.ts'
import { counted } from '../../lib/format-count.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import type { Quota } from '../../lib/rate-windows.ts'
import { breakable, type Html, html, inQuotes, isolated, type Part } from '../html.ts'
import { icon } from '../layout/icon.ts'
import { type FormPage, factsList, formPage, type PageFrame } from '../layout/page.ts'
import { dateTime, intervalText, relativeTime, timeOfEnd } from '../layout/time.ts'
import { type KeyAction, paths } from '../paths.ts'
import { totalUse } from './use-charts.ts'

export const stateText: Record<KeyState['kind'], string> = {
  live: 'Live',
  expiring: 'Expiring',
  rotating: 'Rotating',
  paused: 'Paused',
  expired: 'Expired',
  revoked: 'Revoked',
}

/** A key that works and may have leaked is never shown as merely live. */
export function statePill(key: Pick<KeyOverview, 'state' | 'leak'>): Html {
  const { kind } = key.state
  const isLeaked = key.leak !== null && !hasEnded(key)
  const leak = isLeaked && html`<span class="pill leaked">May have leaked</span> `
  return html`${leak}${!(isLeaked && kind === 'live') && html`<span class="pill ${kind}">${stateText[kind]}</span>`}`
}

/** How people recognise it: the start of the key, or the host that got a connection's tokens. */
export const keyMark = ({ prefix, client }: Pick<KeyOverview, 'prefix' | 'client'>): Html =>
  client === null
    ? html`<code class="prefix">${prefix}…</code>`
    : html`<span class="prefix connection">${icon('agent')}Connected to ${breakable(client.host)}</span>`

/** A connection's client has no key to revoke: it is disconnected. */
export const revokeWord = ({ client }: Pick<KeyOverview, 'client'>): 'Revoke' | 'Disconnect' =>
  client === null ? 'Revoke' : 'Disconnect'

export function expiryText({ expiresAt }: { expiresAt: string | null }, time: LocalTime): Part {
  return expiresAt === null ? 'Never' : timeOfEnd(expiresAt, time)
}

export function stateDetail(key: KeyOverview, time: LocalTime): Html {
  const { state, leak } = key
  const end = endOf(key)
  if (leak !== null && !hasEnded(key))
    return html`in a ${leak.seen === 'url' ? 'URL' : 'browser'}, ${relativeTime(leak.at, time)}`
  if (state.kind === 'revoked') return relativeTime(state.at, time)
  if (end === null) return html`never expires`
  if (state.kind === 'expired') return timeOfEnd(end, time)
  return html`${state.kind === 'rotating' ? 'ends' : 'expires'} ${timeOfEnd(end, time)}`
}

export const quotaText = ({ limit, windowSeconds }: Quota): string =>
  `${counted(limit, 'request')} every ${intervalText(windowSeconds)}`

/** How a key is more limited than a new one. Empty for most keys. */
export function keyLimits({ permissions, quota, networks, only }: KeyOverview, usual: readonly string[]): Part[] {
  const isLimited = usual.some((name) => !permissions.includes(name))
  const more = permissions.length - 1
  return [
    isLimited && html`<code>${permissions[0] ?? ''}</code>${more > 0 && ` + ${more}`}`,
    quota !== null && quotaText(quota),
    only !== null && `some ${Object.keys(only).join(', ') || 'rows'}`,
    networks !== null && counted(networks.length, 'network'),
  ].filter((limit) => limit !== false)
}

const NAMES_SHOWN = 3

export function permissionNames(permissions: readonly string[]): Html {
  const more = permissions.length - NAMES_SHOWN
  const names: Part[] = permissions.slice(0, NAMES_SHOWN).map((name) => html`<code>${name}</code>`)
  if (more > 0) names.push(`${more} more`)
  return html`${names.map((part, index) => [index > 0 && (index === names.length - 1 ? ' and ' : ', '), part])}`
}

/** Enough to check that this is the right key and that nothing still needs it. */
function keyFacts(key: KeyOverview, time: LocalTime): Html {
  const lastUse = key.lastUsedAt === null ? html`Never` : html`<strong>${relativeTime(key.lastUsedAt, time)}</strong>`
  return factsList([
    ['Key', html`${isolated(key.label)} ${keyMark(key)}`],
    ['State', statePill(key)],
    [
      'Last used',
      html`${lastUse}, ${counted(totalUse(key.dailyUse), 'request')} in the last ${key.dailyUse.length} days`,
    ],
    ['Created', html`${dateTime(key.createdAt, time)} by ${breakable(key.createdBy)}`],
    ['Expires', expiryText(key, time)],
  ])
}

interface KeyConfirmation extends Pick<FormPage, 'lead' | 'notices' | 'once' | 'button'> {
  verb: string
  action: KeyAction
  fields?: Part
  cancel: string
}

export function confirmKeyPage(frame: PageFrame, key: KeyOverview, confirmation: KeyConfirmation): string {
  const { verb, action, fields = null, cancel, ...form } = confirmation
  const { slug } = frame.workspace
  return formPage(frame, {
    title: `${verb} ${key.label}`,
    guide: ['settings#rotating-and-revoking-a-key', 'rotating and revoking a key'],
    heading: html`${verb} ${inQuotes(key.label)}?`,
    back: { href: paths.key(slug, key.id), text: key.label },
    action: paths.key(slug, key.id, action),
    fields: [keyFacts(key, frame), fields],
    cancel: { href: paths.key(slug, key.id), text: cancel },
    ...form,
  })
}
