import type { CheckClient, Checks, Examine } from './client.ts'
import { type Diagnosis, diagnoses, headerChanged } from './diagnosis.ts'
import { expect, expectHeader, Skip } from './expect.ts'
import type { CheckedResponse } from './http.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** These checks run last, and examine every earlier response. */
export const headerChecks = (path: string, mcpPath: string): Checks => ({
  'headers.request-id': [[requestIdsAreUnique]],
  'headers.rate-limit': [[quotaIsShown]],
  'headers.remaining': [[remainingFalls]],
  'headers.lifecycle': [[deprecationIsAnnounced]],
  'headers.single': [[headersAreSingle]],
  'headers.not-cached': [[none(/^age$/, diagnoses.cached)]],
  'headers.cookies': [[none(/^set-cookie$/, diagnoses.cookieAdded)]],
  'headers.cors': [
    [askLikeAWebPage, path],
    [askLikeAWebPage, mcpPath],
    [none(/^access-control-/, diagnoses.corsAdded)],
  ],
})

const requestIdsAreUnique: Examine = async (client) => {
  const ids = new Set<string>()
  for (const response of ownResponses(client)) {
    expectHeader(response, 'X-Request-Id', UUID)
    const id = response.headers['x-request-id'] ?? ''
    expect(!ids.has(id), response, 'an X-Request-Id that no earlier response had', diagnoses.cached, id)
    ids.add(id)
  }
}

const quotaIsShown: Examine = async (client) => {
  for (const response of apiResponses(client)) {
    expectHeader(response, 'RateLimit-Limit', /^\d+$/)
    expectHeader(response, 'RateLimit-Policy', new RegExp(`^${response.headers['ratelimit-limit']};w=\\d+$`))
    if (!wasRecognised(response)) continue
    for (const name of ['RateLimit-Remaining', 'RateLimit-Reset']) expectHeader(response, name, /^\d+$/)
  }
}

const ENOUGH_RESPONSES = 5
/** In a shorter window, each request of a slow run may be the first. */
const SHORT_WINDOW_SECONDS = 5

/** A new window begins at the top, so it is enough if the number falls at all. */
const remainingFalls: Examine = async (client) => {
  const counted = apiResponses(client).filter((each) => wasRecognised(each) && each.status !== 429)
  const last = counted.at(-1)
  const window = Number(/w=(\d+)$/.exec(last?.headers['ratelimit-policy'] ?? '')?.[1])
  if (last === undefined || counted.length < ENOUGH_RESPONSES || !(window > SHORT_WINDOW_SECONDS))
    throw new Skip('too few responses show the quota in one window')
  const values = counted.map(({ headers }) => Number(headers['ratelimit-remaining']))
  const isMet = values.some((value, at) => value < Number(values[at - 1])) || last.headers['ratelimit-limit'] === '1'
  const got = `RateLimit-Remaining: ${values.join(', ')}`
  expect(isMet, last, 'a RateLimit-Remaining that falls', diagnoses.quotaConstant, got)
}

/** In the forms of RFC 9745 and RFC 8594. */
const LIFECYCLE = {
  Deprecation: /^@\d+$/,
  Sunset: /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
  Link: /rel="deprecation"/,
}

/** The deployment's own document names deprecated operations. */
const deprecationIsAnnounced: Examine = async (client) => {
  const { json } = await client.sendOnce({ method: 'GET', path: '/openapi.json' })
  for (const response of apiResponses(client)) {
    const operations = JSON.stringify(Object(Object(json).paths)[response.request.path] ?? {})
    for (const [name, form] of Object.entries(LIFECYCLE))
      if (operations.includes(`"${name}":{"$ref":`)) expectHeader(response, name, form)
  }
}

/** Other headers may repeat, but a proxy must not add a second copy of a documented one. */
const headersAreSingle: Examine = async ({ seen, contract }) => {
  const documented = ['Content-Type', ...Object.keys(contract.document.components.headers)]
  for (const response of seen) {
    const names = response.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
    const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name)
    const twice = documented.map((name) => name.toLowerCase()).find(isTwice) ?? ''
    expect(twice === '', response, `one ${twice}`, headerChanged(twice), response.headers[twice])
  }
}

/** Without the key, which would be recorded as seen in a browser. A proxy may allow only web pages that ask. */
const askLikeAWebPage: Examine = async (client, path = '') => {
  const headers = { Origin: 'https://vitrine-check.invalid', 'Access-Control-Request-Method': 'POST' }
  for (const method of ['OPTIONS', 'GET']) await client.send({ method, path, headers })
}

const none =
  (names: RegExp, diagnosis: Diagnosis): Examine =>
  async (client) => {
    for (const response of apiResponses(client)) {
      const name = Object.keys(response.headers).find((each) => names.test(each))
      const got = `${name}: ${response.headers[name ?? '']}`
      expect(name === undefined, response, `no ${name}`, diagnosis, got)
    }
  }

/** If other responses have an X-Request-Id and one does not, it is not Vitrine's, which other checks report. */
function ownResponses({ seen }: CheckClient): CheckedResponse[] {
  const own = seen.filter(({ headers }) => headers['x-request-id'] !== undefined)
  return own.length === 0 ? seen : own
}

/** Documentation pages have no quota, and may be cached. */
const apiResponses = (client: CheckClient): CheckedResponse[] =>
  ownResponses(client).filter(({ request }) => Object.hasOwn(client.contract.document.paths, request.path))

/** Methods are checked before keys, so a 405 is sent before the key is known. So are statuses of unparsed requests. */
const wasRecognised = ({ request, status }: CheckedResponse): boolean =>
  Boolean(request.withKey) && ![401, 405, 408, 431].includes(status) && status < 500
