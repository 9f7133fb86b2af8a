import { type Check, checksOf } from '../check.ts'
import type { Client } from '../client.ts'
import { type Diagnosis, diagnoses, headerChanged, headerRemoved, isEncodedUnasked } from '../diagnosis.ts'
import { expect, expectHeader } from '../expect.ts'
import type { HttpResponse } from '../http.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** These checks come last, and look at every earlier response. */
export const headerChecks: Check[] = checksOf(
  'headers',
  {
    'request-id': ['Every response has an X-Request-Id of its own', 'It is how a response is found in the log.'],
    'rate-limit': ['Every response of the API shows its quota', 'Clients slow down before they run into a 429.'],
    'retry-after': ['A 429 says when to come again', 'Clients would hammer, or give up.'],
    single: ['No header comes twice', 'Clients take the first, the last, or both.'],
    'not-cached': ['No response comes from a cache', 'Private responses would be given to others, or stale.'],
    cookies: ['No response sets a cookie', 'Every request stands alone.'],
    cors: ['No response allows web pages', 'Keys would be used in browsers.'],
    'not-encoded': ['Nothing is compressed unless asked for', 'Simple clients cannot read it.'],
  },
  {
    'request-id': async (client) => {
      const known = new Set<string>()
      for (const response of client.seen) {
        expectOwnHeader(client, response, 'X-Request-Id', UUID)
        const id = response.headers['x-request-id'] ?? ''
        expect(!known.has(id), response, 'an X-Request-Id that no response had before', diagnoses.cached, id)
        known.add(id)
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
    'retry-after': async ({ seen }) => {
      const refusals = seen.filter(({ status }) => status === 429)
      for (const response of refusals) expectHeader(response, 'Retry-After', /^[1-9]\d*$/)
      return refusals.length > 0 ? undefined : 'no 429 was met, and none is provoked'
    },
    // Other headers may repeat, but a proxy's own must not stand beside a documented one.
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
    'not-encoded': async ({ seen }) => {
      for (const response of seen) {
        const got = `Content-Encoding: ${response.headers['content-encoding']}`
        expect(!isEncodedUnasked(response), response, 'no Content-Encoding', diagnoses.encodedUnasked, got)
      }
    },
  },
)

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
const apiResponses = ({ seen, contract }: Client): HttpResponse[] =>
  seen.filter(({ request }) => Object.hasOwn(contract.document.paths, request.path))

/** Methods are checked before keys, so a 405 knows no key. Neither does a status from before the parser. */
const wasRecognised = ({ request, status }: HttpResponse): boolean =>
  request.withKey === true && ![401, 405, 408, 431].includes(status) && status < 500

/** If other responses have an X-Request-Id and this one does not, it is not Vitrine's. */
function expectOwnHeader({ seen }: Client, response: HttpResponse, name: string, form: RegExp): void {
  const isOwn = (each: HttpResponse) => each.headers['x-request-id'] !== undefined
  const isForeign = !isOwn(response) && seen.some(isOwn)
  expectHeader(response, name, form, { ifMissing: isForeign ? diagnoses.answeredInFront : headerRemoved(name) })
}

function expectAtMost(client: Client, response: HttpResponse, name: string, most = ''): void {
  expectOwnHeader(client, response, name, /^\d+$/)
  const value = response.headers[name.toLowerCase()]
  const isMet = Number(value) <= Number(most)
  expect(isMet, response, `${name} of at most ${most}`, headerChanged(name), value)
}
