import { DAY_MS } from '../lib/duration.ts'
import { toInstant } from '../lib/instant.ts'
import { parseJson } from '../lib/json-text.ts'

/** Times are in milliseconds. */
interface PathLifecycle {
  deprecation: number
  sunset: number | undefined
  link: string
}

export type Lifecycle = ReadonlyMap<string, PathLifecycle>

const NOTICE_DAYS = 90
/** Explains what the headers mean. */
const GUIDE = '/docs/lifecycle'

/** Does not check that the paths exist: only the app knows them. */
export function parseLifecycle(text: string): Lifecycle {
  const given = parseJson(text)
  if (given === undefined) throw new Error('must be JSON')
  const entries = Object.entries(object(given, 'must be a JSON object of paths'))
  return new Map(entries.map(([path, value]) => [path, pathLifecycle(path, value)]))
}

function pathLifecycle(path: string, value: unknown): PathLifecycle {
  const entry = object(value, `${path} must be an object with "deprecation", and optionally "sunset" and "link"`)
  const unknown = Object.keys(entry).find((name) => !['deprecation', 'sunset', 'link'].includes(name))
  if (unknown !== undefined) throw new Error(`${path} has an unknown member "${unknown}"`)
  const deprecation = instant(path, 'deprecation', entry.deprecation)
  const sunset = entry.sunset === undefined ? undefined : instant(path, 'sunset', entry.sunset)
  if (sunset !== undefined && sunset - deprecation < NOTICE_DAYS * DAY_MS)
    throw new Error(`${path} has a sunset less than ${NOTICE_DAYS} days after its deprecation`)
  if (sunset !== undefined && sunset <= Date.now())
    throw new Error(`${path} has a sunset in the past; set a future date, or leave the path out`)
  return { deprecation, sunset, link: entry.link === undefined ? GUIDE : link(path, entry.link) }
}

function instant(path: string, name: string, value: unknown): number {
  const parsed = typeof value === 'string' ? toInstant(value) : undefined
  if (parsed === undefined) throw new Error(`${path} needs "${name}" as a date and time such as 2026-11-15T09:00:00Z`)
  return Date.parse(parsed)
}

function link(path: string, value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${path} needs "link" as an http or https URL`)
  return url.href
}

function object(value: unknown, message: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(message)
  return value as Record<string, unknown>
}

/** Deprecation is defined by RFC 9745, Sunset by RFC 8594. */
export function lifecycleHeaders(lifecycle: PathLifecycle | undefined): string[] {
  if (lifecycle === undefined) return []
  const headers = ['Deprecation', `@${Math.floor(lifecycle.deprecation / 1000)}`]
  if (lifecycle.sunset !== undefined) headers.push('Sunset', new Date(lifecycle.sunset).toUTCString())
  headers.push('Link', `<${lifecycle.link}>; rel="deprecation"`)
  return headers
}
