import { defined } from '../lib/defined.ts'
import { durationMs } from '../lib/duration.ts'
import { type Fault, fault } from '../lib/fault.ts'
import { toInstant } from '../lib/instant.ts'
import { endOfDate, UTC, zoneNamed } from '../lib/local-dates.ts'
import { didYouMean } from '../lib/nearest.ts'
import { type List, listsOf } from '../lists/definition.ts'
import { type KeyUpdate, labelError } from './life-cycle.ts'
import { NETWORKS_SYNTAX, parseNetworks } from './networks.ts'
import { checkOnly, type OnlyText } from './only.ts'
import { parseQuota, QUOTA_SYNTAX } from './quota.ts'

/** The word for each member's default. In a file, null means the same. */
const DEFAULTS = { rateLimit: 'default', networks: 'everywhere', expires: 'never' }

/** A key as an operator describes it, in options or in a file: each member as text. */
type KeySpecText = Partial<Record<keyof typeof DEFAULTS, string | null | undefined>> & {
  label?: string | undefined
  permissions?: readonly string[] | undefined
  only?: OnlyText | undefined
}

/** What keys can be made for. */
export interface Readable {
  permission: string
  list?: List
}

export interface KeySpec extends Omit<KeyUpdate, 'expiresAt'> {
  /** Null means never. */
  expires?: ExpirySpec | null
}

export interface ExpirySpec {
  kind: 'duration' | 'date' | 'instant'
  /** A duration counts from now. A date without a time means the end of that day in the workspace's timezone. */
  at(timezone: string | null, nowMs: number): number
}

const EXPIRY_SYNTAX = 'must be a duration such as 90d, a date such as 2027-01-31, or a date and time with an offset'

/** Leaves out members that are not given. Faults name the member. */
export function parseKeySpec(text: KeySpecText, readable: readonly Readable[]): { spec: KeySpec; faults: Fault[] } {
  const { permissions } = text
  const offered = readable.map(({ permission }) => permission)
  const label = text.label?.trim()
  const unknown = permissions?.find((permission) => !offered.includes(permission))
  const faults = [
    ...fault('label', label !== undefined && labelError(label)),
    ...fault(
      'permissions',
      unknown !== undefined && `unknown permission ${JSON.stringify(unknown)}${didYouMean(unknown, offered)}`,
    ),
  ]
  const read = <T>(field: keyof typeof DEFAULTS, parse: (member: string) => T | null | undefined, syntax: string) => {
    const member = text[field]
    if (member === undefined) return undefined
    if (member === null || member === DEFAULTS[field]) return null
    const value = parse(member) ?? undefined
    faults.push(...fault(field, value === undefined && syntax))
    return value
  }
  const limit = text.only === undefined ? undefined : checkOnly(text.only, listsOf(readable))
  if (limit !== undefined && 'problem' in limit) faults.push({ field: 'only', problem: limit.problem })
  const spec = defined({
    label,
    permissions: permissions && offered.filter((one) => permissions.includes(one)),
    quota: read('rateLimit', parseQuota, QUOTA_SYNTAX),
    networks: read('networks', parseNetworks, NETWORKS_SYNTAX),
    only: limit !== undefined && 'only' in limit ? limit.only : undefined,
    expires: read('expires', parseExpiry, EXPIRY_SYNTAX),
  })
  return { spec, faults }
}

function parseExpiry(text: string): ExpirySpec | undefined {
  const instant = toInstant(text)
  if (instant !== undefined) return { kind: 'instant', at: () => Date.parse(instant) }
  if (endOfDate(UTC, text) !== undefined)
    return { kind: 'date', at: (timezone) => endOfDate(zoneNamed(timezone), text) as number }
  const ms = durationMs(text)
  return ms === undefined ? undefined : { kind: 'duration', at: (_, nowMs) => nowMs + ms }
}
