import { isObject } from '../../../lib/checker.ts'
import { type Check, checksOf } from '../check.ts'
import type { CheckClient } from '../client.ts'
import { type Diagnosis, diagnoses, headerChanged, headerRemoved } from '../diagnosis.ts'
import { expect, expectHeader, Skip } from '../expect.ts'
import type { CheckedResponse } from '../http.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** These checks run last, and examine every earlier response. */
export const headerChecks: Check[] = checksOf('headers', {
  'request-id': async (client) => {
    const ids = new Set<string>()
    for (const response of client.seen) {
      expectOwnHeader(client, response, 'X-Request-Id', UUID)
      const id = response.headers['x-request-id'] ?? ''
      expect(!ids.has(id), response, 'an X-Request-Id that no earlier response had', diagnoses.cached, id)
      ids.add(id)
    }
  },
  'rate-limit': async (client) => {
    for (const response of apiResponses(client)) {
      expectOwnHeader(client, response, 'RateLimit-Limit', /./)
      const limit = response.headers['ratelimit-limit'] ?? ''
      expectOwnHeader(client, response, 'RateLimit-Policy', new RegExp(`^${RegExp.escape(limit)};w=\\d+$`))
      const window = response.headers['ratelimit-policy']?.split('=')[1]
      if (!wasRecognised(response)) continue
      expectAtMost(client, response, 'RateLimit-Remaining', limit)
      expectAtMost(client, response, 'RateLimit-Reset', window)
    }
  },
  // A new window begins at the top, so it is enough if the number falls at all.
  remaining: async (client) => {
    const counted = apiResponses(client).filter(
      (each) => wasRecognised(each) && each.status !== 429 && each.headers['ratelimit-remaining'] !== undefined,
    )
    const values = counted.map(({ headers }) => Number(headers['ratelimit-remaining']))
    const last = counted.at(-1)
    if (last === undefined || values.length < ENOUGH_RESPONSES) throw new Skip('too few responses show the quota')
    const window = Number(/w=(\d+)$/.exec(last.headers['ratelimit-policy'] ?? '')?.[1])
    if (!(window > SHORT_WINDOW_SECONDS)) throw new Skip('in such a short window, each request may be the first')
    if (last.headers['ratelimit-limit'] === '1') throw new Skip('a quota of one request is always used up')
    const falls = values.some((value, at) => value < Number(values[at - 1]))
    const got = `RateLimit-Remaining: ${values.join(', ')}`
    expect(falls, last, 'a RateLimit-Remaining that falls', diagnoses.quotaConstant, got)
    return undefined
  },
  lifecycle: checkLifecycle,
  // Other headers may repeat, but a proxy must not add a second copy of a documented one.
  single: async ({ seen, contract }) => {
    const documented = ['Content-Type', ...Object.keys(contract.document.components.headers)]
    for (const response of seen) {
      const names = response.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
      const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name)
      const twice = documented.map((name) => name.toLowerCase()).find(isTwice) ?? ''
      const got = response.headers[twice]
      expect(twice === '', response, `one ${twice}`, headerChanged(twice), got)
    }
  },
  'not-cached': none(/^age$/, diagnoses.cached),
  cookies: none(/^set-cookie$/, diagnoses.cookieAdded),
  cors: none(/^access-control-/, diagnoses.corsAdded),
})

const ENOUGH_RESPONSES = 5
/** In a shorter window, each request of a slow run may be the first. */
const SHORT_WINDOW_SECONDS = 5

/** Deprecation has the form of RFC 9745, Sunset that of RFC 8594. The deployment's own document names deprecated operations. */
async function checkLifecycle(client: CheckClient): Promise<string | undefined> {
  const { json } = await client.sendOnce({ method: 'GET', path: '/openapi.json' })
  const paths = isObject(json) && isObject(json.paths) ? json.paths : {}
  const notes = new Set<string>()
  for (const response of apiResponses(client)) {
    const { path } = response.request
    const { sunset } = response.headers
    const announced = JSON.stringify(paths[path] ?? {})
    for (const name of ['Deprecation', 'Sunset', 'Link'])
      if (announced.includes(`"${name}":{"$ref":`)) expectOwnHeader(client, response, name, /./)
    if (response.headers.deprecation === undefined) continue
    expectHeader(response, 'Deprecation', /^@\d{1,12}$/)
    const deprecatedAt = new Date(Number(response.headers.deprecation.slice(1)) * 1000)
    const endsAt = new Date(sunset ?? deprecatedAt)
    const isDate = sunset === undefined || (endsAt.toUTCString() === sunset && endsAt > deprecatedAt)
    expect(isDate, response, 'a Sunset as an HTTP date after Deprecation', headerChanged('Sunset'), `Sunset: ${sunset}`)
    notes.add(`${path} is deprecated since ${dayOf(deprecatedAt)}${sunset ? `, and ends ${dayOf(endsAt)}` : ''}`)
  }
  return notes.size === 0 ? undefined : [...notes].join('; ')
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

function none(names: RegExp, diagnosis: Diagnosis): Check['run'] {
  return async (client) => {
    for (const response of apiResponses(client)) {
      const name = Object.keys(response.headers).find((each) => names.test(each))
      const got = `${name}: ${response.headers[name ?? '']}`
      expect(name === undefined, response, `no ${name}`, diagnosis, got)
    }
  }
}

/** Documentation pages have no quota, and may be cached. */
const apiResponses = ({ seen, contract }: CheckClient): CheckedResponse[] =>
  seen.filter(({ request }) => Object.hasOwn(contract.document.paths, request.path))

/** Methods are checked before keys, so a 405 is sent before the key is known. So are statuses of unparsed requests. */
const wasRecognised = ({ request, status }: CheckedResponse): boolean =>
  Boolean(request.withKey) && ![401, 405, 408, 431].includes(status) && status < 500

/** If other responses have an X-Request-Id and this one does not, it is not Vitrine's. */
function expectOwnHeader({ seen }: CheckClient, response: CheckedResponse, name: string, pattern: RegExp): void {
  const isOwn = (each: CheckedResponse) => each.headers['x-request-id'] !== undefined
  const isForeign = !isOwn(response) && seen.some(isOwn)
  expectHeader(response, name, pattern, { ifMissing: isForeign ? diagnoses.respondedInFront : headerRemoved(name) })
}

function expectAtMost(client: CheckClient, response: CheckedResponse, name: string, most = ''): void {
  expectOwnHeader(client, response, name, /^\d+$/)
  const value = response.headers[name.toLowerCase()]
  const isMet = Number(value) <= Number(most)
  expect(isMet, response, `${name} of at most ${most}`, headerChanged(name), value)
}
