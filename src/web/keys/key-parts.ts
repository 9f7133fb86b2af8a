import type { Quota } from '../../database/store.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { endOf, hasEnded, type KeyState } from '../../keys/state.ts'
import { DAY_MS } from '../../lib/duration.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { breakable, type Html, html, inQuotes, isolated, type Part } from '../html.ts'
import { icon } from '../layout/icon.ts'
import { type FormPage, factsList, formPage, type PageFrame } from '../layout/page.ts'
import { dateText, dateTime, intervalText, relativeTime, timeOfEnd } from '../layout/time.ts'
import { type KeyAction, paths } from '../paths.ts'

const stateText: Record<KeyState['kind'], string> = {
  live: 'Live',
  expiring: 'Expiring',
  rotating: 'Rotating',
  paused: 'Paused',
  expired: 'Expired',
  revoked: 'Revoked',
}

/** A key that works and may have leaked is never shown as merely live. */
export function statePill(key: Pick<KeyOverview, 'state' | 'warnings'>): Html {
  const { kind } = key.state
  const isLeaked = key.warnings.length > 0 && !hasEnded(key)
  const leak = isLeaked && html`<span class="pill leaked">Leaked?</span> `
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
  const { state, warnings } = key
  const end = endOf(key)
  const leak = warnings.at(-1)
  if (leak !== undefined && !hasEnded(key))
    return html`in a ${leak.seen === 'url' ? 'URL' : 'browser'}, ${relativeTime(leak.at, time)}`
  if (state.kind === 'revoked') return relativeTime(state.at, time)
  if (end === null) return html`never expires`
  if (state.kind === 'expired') return timeOfEnd(end, time)
  return html`${state.kind === 'rotating' ? 'ends' : 'expires'} ${timeOfEnd(end, time)}`
}

export const quotaText = ({ limit, windowSeconds }: Quota): string =>
  `${requests(limit)} every ${intervalText(windowSeconds)}`

/** How a key is more limited than a new one. Empty for most keys. */
export function keyLimits({ permissions, quota, networks }: KeyOverview, usual: readonly string[]): Part[] {
  const isLimited = usual.some((name) => !permissions.includes(name))
  const more = permissions.length - 1
  return [
    isLimited && html`<code>${permissions[0] ?? ''}</code>${more > 0 && ` + ${more}`}`,
    quota !== null && `${formatCount(quota.limit)} per ${formatCount(quota.windowSeconds)} s`,
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
    ['Last used', html`${lastUse}, ${requests(totalUse(key.dailyUse))} in the last ${key.dailyUse.length} days`],
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
    back: { href: paths.keys(slug), text: 'API keys' },
    action: paths.key(slug, key.id, action),
    fields: [keyFacts(key, frame), fields],
    cancel: { href: paths.key(slug, key.id), text: cancel },
    ...form,
  })
}

const HEIGHT = 24
const STEP = 6
/** A single refusal among thousands of requests stays visible. */
const LEAST = 2

/** The oldest day comes first, and refused requests are hatched, on top. The title describes the bars in words. */
export function usageChart({ dailyUse, dailyRefused }: Use, time: LocalTime): Html {
  const most = Math.max(1, ...dailyUse)
  const dayOf = (index: number) => dateText(time.nowMs - (dailyUse.length - 1 - index) * DAY_MS, time)
  const heightOf = (uses: number) => (uses === 0 ? 0 : Math.max(LEAST, Math.round((uses / most) * HEIGHT)))
  const bar = (index: number, bottom: number, height: number) =>
    height <= 0 ? '' : `M${index * STEP + 2} ${HEIGHT - bottom}v-${height}`
  const bars = dailyUse.map((uses, index) => {
    const refused = heightOf(dailyRefused[index] ?? 0)
    const served = uses === dailyRefused[index] ? 0 : Math.max(LEAST, heightOf(uses) - refused)
    return { served: uses === 0 ? '' : bar(index, 0, served), refused: bar(index, served, refused) }
  })
  const width = dailyUse.length * STEP - 2
  const path = (name: 'served' | 'refused') => bars.map((each) => each[name]).join('')
  return html`<svg class="chart" role="img" viewBox="0 0 ${width} ${HEIGHT}"><title>${useText({ dailyUse, dailyRefused }, dayOf)}</title><path d="${path('served')}"/>${totalUse(dailyRefused) > 0 && html`<path class="hatched" d="${path('refused')}"/>`}</svg>`
}

type Use = Pick<KeyOverview, 'dailyUse' | 'dailyRefused'>

export const totalUse = (dailyUse: readonly number[]): number => dailyUse.reduce((sum, uses) => sum + uses, 0)

export const requests = (uses: number): string => counted(uses, 'request')

function useText({ dailyUse, dailyRefused }: Use, dayOf: (index: number) => string): string {
  const total = totalUse(dailyUse)
  if (total === 0) return `No requests in the last ${dailyUse.length} days`
  const most = Math.max(...dailyUse)
  const refused = totalUse(dailyRefused)
  const fate = refused === 0 ? '' : `, ${formatCount(refused)} refused`
  return `${requests(total)} in the last ${dailyUse.length} days${fate}, most on ${dayOf(dailyUse.indexOf(most))}: ${formatCount(most)}`
}
