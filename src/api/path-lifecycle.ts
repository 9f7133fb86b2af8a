import { checker, isObject } from '../lib/checker.ts'
import { DAY_MS } from '../lib/duration.ts'
import { toInstant } from '../lib/instant.ts'
import { parseJson } from '../lib/json-text.ts'
import { mapOf, object, optional, string, type Values } from '../lib/schema.ts'

/** Times are in milliseconds. */
interface PathLifecycle {
  deprecation: number
  sunset: number | undefined
  link: string
}

export type Lifecycle = ReadonlyMap<string, PathLifecycle>

const NOTICE_DAYS = 90
/** Explains what the headers mean. */
const GUIDE = '/docs/rest#how-the-api-changes'

const instant = string({ format: 'date-time' })
const entry = { deprecation: instant, sunset: optional(instant), link: optional(string()) }
const faultsOf = checker(mapOf(object(entry)))

/** Does not check that the paths exist: only the app knows them. */
export function parseLifecycle(text: string): Lifecycle {
  const value = parseJson(text)
  if (value === undefined) throw new Error('must be JSON')
  if (!isObject(value)) throw new Error('must be a JSON object of paths')
  const [fault] = faultsOf(value)
  if (fault !== undefined) throw new Error(`${fault.field} ${fault.problem}`)
  const entries = Object.entries(value as Record<string, Values<typeof entry>>)
  return new Map(entries.map(([path, given]) => [path, pathLifecycle(path, given)]))
}

function pathLifecycle(path: string, given: Values<typeof entry>): PathLifecycle {
  const deprecation = msOf(given.deprecation)
  const sunset = given.sunset === undefined ? undefined : msOf(given.sunset)
  if (sunset !== undefined && sunset - deprecation < NOTICE_DAYS * DAY_MS)
    throw new Error(`${path} has a sunset less than ${NOTICE_DAYS} days after its deprecation`)
  if (sunset !== undefined && sunset <= Date.now())
    throw new Error(`${path} has a sunset in the past; set a future date, or leave the path out`)
  return { deprecation, sunset, link: given.link === undefined ? GUIDE : hrefOf(path, given.link) }
}

const msOf = (valid: string): number => Date.parse(toInstant(valid) as string)

function hrefOf(path: string, link: string): string {
  const url = URL.parse(link)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${path}.link must be an http or https URL`)
  return url.href
}

/** Deprecation is defined by RFC 9745, Sunset by RFC 8594. */
export function lifecycleHeaders(lifecycle: PathLifecycle | undefined): string[] {
  if (lifecycle === undefined) return []
  const headers = ['Deprecation', `@${Math.floor(lifecycle.deprecation / 1000)}`]
  if (lifecycle.sunset !== undefined) headers.push('Sunset', new Date(lifecycle.sunset).toUTCString())
  headers.push('Link', `<${lifecycle.link}>; rel="deprecation"`)
  return headers
}
