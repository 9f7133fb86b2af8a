import type { Quota } from '../../database/store.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { endOf, hasEnded, type KeyState } from '../../keys/state.ts'
import { DAY_MS } from '../../lib/duration.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { breakable, type Html, html, named, type Part, quoted } from '../../lib/html.ts'
import { icon } from '../layout/icon.ts'
import { type FormPage, factsList, formPage, type PageFrame } from '../layout/page.ts'
import { type Clock, dateText, dateTime, intervalText, relativeTime, timeOfEnd } from '../layout/time.ts'
import { type KeyAction, paths } from '../paths.ts'

const stateText: Record<KeyState['kind'], string> = {
  live: 'Live',
  expiring: 'Expiring',
  rotating: 'Rotating',
  paused: 'Paused',
  expired: 'Expired',
  revoked: 'Revoked',
}

export const statePill = ({ kind }: KeyState): Html => html`<span class="pill ${kind}">${stateText[kind]}</span>`

/** What to recognise it by: the start of the key, or the host that a connection's tokens went to. */
export const keyMark = ({ prefix, client }: Pick<KeyOverview, 'prefix' | 'client'>): Html =>
  client === null
    ? html`<code class="prefix">${prefix}…</code>`
    : html`<span class="prefix connection">${icon('agent')}Connected to ${breakable(client.host)}</span>`

export const networksText = ({ networks }: Pick<KeyOverview, 'networks'>): string =>
  networks?.join(', ') ?? 'Everywhere'

/** A connection's client has no key to revoke: it is disconnected. */
export const revokeWord = ({ client }: Pick<KeyOverview, 'client'>): 'Revoke' | 'Disconnect' =>
  client === null ? 'Revoke' : 'Disconnect'

export function expiryText({ expiresAt }: { expiresAt: string | null }, clock: Clock): Part {
  return expiresAt === null ? 'Never' : timeOfEnd(expiresAt, clock)
}

export function stateDetail(key: KeyOverview, clock: Clock): Html {
  const { state } = key
  const end = endOf(key)
  if (state.kind === 'revoked') return relativeTime(state.at, clock)
  if (end === null) return html`never expires`
  if (state.kind === 'expired') return timeOfEnd(end, clock)
  return html`${state.kind === 'rotating' ? 'ends' : 'expires'} ${timeOfEnd(end, clock)}`
}

export const quotaText = ({ limit, windowSeconds }: Quota): string =>
  `${requests(limit)} every ${intervalText(windowSeconds)}`

export function keyTags({ permissions, quota }: Pick<KeyOverview, 'permissions' | 'quota'>): Html {
  const limit =
    quota !== null &&
    html`<span class="sub">${formatCount(quota.limit)} per ${formatCount(quota.windowSeconds)} s</span>`
  const more = permissions.length - NAMES_SHOWN
  return html`<span class="tags">${permissions.slice(0, NAMES_SHOWN).map((name) => html`<code class="tag">${name}</code> `)}${more > 0 && html`<span class="sub">and ${more} more</span>`}</span>${limit}`
}

const NAMES_SHOWN = 3

export function permissionNames(permissions: readonly string[]): Html {
  const more = permissions.length - NAMES_SHOWN
  const shown: Part[] = permissions.slice(0, NAMES_SHOWN).map((name) => html`<code>${name}</code>`)
  if (more > 0) shown.push(`${more} more`)
  return html`${shown.map((part, index) => [index > 0 && (index === shown.length - 1 ? ' and ' : ', '), part])}`
}

/** Enough to check that this is the right key and that nothing still needs it. */
function keyFacts(key: KeyOverview, clock: Clock): Html {
  const lastUse = key.lastUsedAt === null ? html`Never` : html`<strong>${relativeTime(key.lastUsedAt, clock)}</strong>`
  return factsList([
    ['Key', html`${named(key.label)} ${keyMark(key)}`],
    ['State', statePill(key.state)],
    ['Last used', html`${lastUse}, ${requests(totalUse(key.dailyUse))} in the last ${key.dailyUse.length} days`],
    ['Created', html`${dateTime(key.createdAt, clock)} by ${named(key.createdBy)}`],
    ['Expires', expiryText(key, clock)],
  ])
}

interface KeyQuestion extends Pick<FormPage, 'lead' | 'notices' | 'once' | 'button'> {
  verb: string
  action: KeyAction
  fields?: Part
  cancel: string
}

export function keyQuestionPage(frame: PageFrame, key: KeyOverview, question: KeyQuestion): string {
  const { verb, action, fields = null, cancel, ...form } = question
  const { slug } = frame.workspace
  return formPage(frame, {
    title: `${verb} ${key.label}`,
    section: 'keys',
    heading: html`${verb} ${quoted(key.label)}?`,
    back: { href: paths.keys(slug), text: 'API keys' },
    action: paths.key(slug, key.id, action),
    fields: [keyFacts(key, frame), fields],
    cancel: { href: paths.key(slug, key.id), text: cancel },
    ...form,
  })
}

const HEIGHT = 24
const STEP = 6

/** The oldest day comes first. The title describes the bars in words. */
export function usageChart(dailyUse: readonly number[], clock: Clock): Html {
  const most = Math.max(1, ...dailyUse)
  const dayOf = (index: number) => dateText(Date.parse(clock.now) - (dailyUse.length - 1 - index) * DAY_MS, clock)
  const bars = dailyUse.map((uses, index) =>
    uses === 0 ? '' : `M${index * STEP + 2} ${HEIGHT}v-${Math.max(2, Math.round((uses / most) * HEIGHT))}`,
  )
  const width = dailyUse.length * STEP - 2
  return html`<svg class="chart" role="img" viewBox="0 0 ${width} ${HEIGHT}"><title>${useText(dailyUse, dayOf)}</title><path d="${bars.join('')}"/></svg>`
}

export const totalUse = (dailyUse: readonly number[]): number => dailyUse.reduce((sum, uses) => sum + uses, 0)

export const requests = (uses: number): string => counted(uses, 'request')

function useText(dailyUse: readonly number[], dayOf: (index: number) => string): string {
  const total = totalUse(dailyUse)
  if (total === 0) return `No requests in the last ${dailyUse.length} days`
  const most = Math.max(...dailyUse)
  return `${requests(total)} in the last ${dailyUse.length} days, most on ${dayOf(dailyUse.indexOf(most))}: ${formatCount(most)}`
}

/** Replacing a key that was never used and has no successor breaks nothing. */
export const isReplaceable = (key: Pick<KeyOverview, 'lastUsedAt' | 'state' | 'client'>): boolean =>
  key.client === null && key.lastUsedAt === null && !hasEnded(key) && key.state.kind !== 'rotating'

export const REPLACE_EFFECT =
  'It is revoked, and a new key with the same permissions, rate limit, networks and expiry is shown immediately.'
