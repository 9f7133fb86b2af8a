import type { Client, SeenResponse } from '../client.ts'
import type { Check } from '../define.ts'
import { asksForEncoding } from '../diagnose.ts'
import { diagnoses, headerChanged, headerRemoved } from '../diagnosis.ts'
import { Deviation, type Diagnosis } from '../outcome.ts'
import { described } from '../response.ts'
import { shown } from '../shown.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Headers of which a response has one at most; a proxy's own would stand beside Vitrine's. */
const SINGLE = [
  'x-request-id',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'etag',
  'content-type',
  'cache-control',
  'www-authenticate',
]

/** What all responses have in common. They come last, and look at every response that came before. */
export const headerChecks: Check[] = [
  overAll(
    'request-id',
    'Every answer has an X-Request-Id of its own',
    'It is how an answer is found in the log.',
    (client) => {
      const known = new Set<string>()
      for (const response of client.seen) {
        const id = response.headers['x-request-id']
        if (id === undefined)
          throw deviation(
            response,
            'the header X-Request-Id',
            'no X-Request-Id',
            missing(client, response, 'X-Request-Id'),
          )
        if (!UUID.test(id)) throw deviation(response, 'a UUID as X-Request-Id', id, headerChanged('X-Request-Id'))
        if (known.has(id)) throw deviation(response, 'an X-Request-Id that no answer had before', id, diagnoses.cached)
        known.add(id)
      }
    },
  ),
  overAll(
    'rate-limit',
    'Every answer of the API tells its quota',
    'Clients slow down by it, instead of running into 429.',
    (client) => {
      for (const response of apiResponses(client)) {
        const limit = required(client, response, 'RateLimit-Limit')
        const policy = required(client, response, 'RateLimit-Policy')
        const [, ofPolicy, window] = /^(\d+);w=(\d+)$/.exec(policy) ?? []
        if (ofPolicy !== limit)
          throw deviation(response, `RateLimit-Policy: ${limit};w=<seconds>`, policy, headerChanged('RateLimit-Policy'))
        if (!wasRecognised(response)) continue
        const remaining = Number(required(client, response, 'RateLimit-Remaining'))
        if (!(remaining >= 0 && remaining <= Number(limit)))
          throw deviation(
            response,
            `RateLimit-Remaining of at most ${limit}`,
            String(remaining),
            headerChanged('RateLimit-Remaining'),
          )
        const reset = Number(required(client, response, 'RateLimit-Reset'))
        if (!(reset >= 0 && reset <= Number(window)))
          throw deviation(
            response,
            `RateLimit-Reset of at most ${window}`,
            String(reset),
            headerChanged('RateLimit-Reset'),
          )
      }
    },
  ),
  overAll('retry-after', 'A 429 says when to come again', 'Clients would hammer, or give up.', (client) => {
    for (const response of client.seen)
      if (response.status === 429 && !/^[1-9]\d*$/.test(response.headers['retry-after'] ?? ''))
        throw deviation(
          response,
          'Retry-After in seconds',
          response.headers['retry-after'] ?? 'no Retry-After',
          missing(client, response, 'Retry-After'),
        )
    return client.seen.some(({ status }) => status === 429) ? undefined : 'no 429 was met, and none is provoked'
  }),
  overAll('single', 'No header comes twice', 'Clients take the first, the last, or both.', (client) => {
    for (const response of client.seen) {
      const names = response.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
      const twice = SINGLE.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
      if (twice !== undefined)
        throw deviation(response, `one ${twice}`, response.headers[twice] ?? '', headerChanged(twice))
    }
  }),
  overAll(
    'not-cached',
    'No answer comes from a cache',
    'Private answers would be given to others, or stale.',
    (client) => {
      for (const response of apiResponses(client)) {
        const { age } = response.headers
        if (age !== undefined)
          throw deviation(response, 'no Age: answers are not for shared caches', `Age: ${age}`, diagnoses.cached)
      }
    },
  ),
  without('cookies', 'No answer sets a cookie', 'Every request stands alone.', /^set-cookie$/, diagnoses.cookieAdded),
  without(
    'cors',
    'No answer allows web pages',
    'Keys would be used in browsers.',
    /^access-control-/,
    diagnoses.corsAdded,
  ),
  overAll('not-encoded', 'Nothing is compressed unless asked for', 'Simple clients cannot read it.', (client) => {
    for (const response of client.seen) {
      const { 'content-encoding': encoding } = response.headers
      if (encoding !== undefined && !asksForEncoding(response))
        throw deviation(response, 'no Content-Encoding', `Content-Encoding: ${encoding}`, diagnoses.encodedUnasked)
    }
  }),
]

function overAll(id: string, title: string, why: string, judge: (client: Client) => string | undefined): Check {
  return { id: `headers.${id}`, group: 'headers', title, why, run: async (client) => judge(client) }
}

function without(id: string, title: string, why: string, names: RegExp, diagnosis: Diagnosis): Check {
  return overAll(id, title, why, (client) => {
    for (const response of apiResponses(client)) {
      const name = Object.keys(response.headers).find((each) => names.test(each))
      if (name !== undefined) throw deviation(response, `no ${name}`, `${name}: ${response.headers[name]}`, diagnosis)
    }
  })
}

/** Of the operations; pages of the documentation have no quota, and may be cached. */
const apiResponses = (client: Client): SeenResponse[] => {
  const paths = Object.keys(client.contract.document.paths)
  return client.seen.filter(({ request }) => paths.includes(request.path))
}

/** Methods are checked before keys: a 405 knows no key. A status from before the parser has none either. */
const wasRecognised = ({ request, status }: SeenResponse): boolean =>
  request.withKey === true && ![401, 405, 408, 431].includes(status) && status < 500

/** If other responses have an X-Request-Id and this one has not, it is not Vitrine's. */
function missing({ seen }: Client, response: SeenResponse, name: string): Diagnosis {
  const isOwn = (each: SeenResponse) => each.headers['x-request-id'] !== undefined
  return !isOwn(response) && seen.some(isOwn) ? diagnoses.answeredInFront : headerRemoved(name)
}

function required(client: Client, response: SeenResponse, name: string): string {
  const value = response.headers[name.toLowerCase()]
  if (value === undefined)
    throw deviation(response, `the header ${name}`, `no ${name}`, missing(client, response, name))
  return value
}

const deviation = ({ request }: SeenResponse, expected: string, got: string, diagnosis: Diagnosis) =>
  new Deviation(`${described(request)}: ${expected}`, shown(got), diagnosis)
