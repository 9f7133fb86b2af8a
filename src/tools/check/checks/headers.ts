import { described } from '../answer.ts'
import type { Client, SeenAnswer } from '../client.ts'
import type { Check } from '../define.ts'
import { asksForEncoding } from '../diagnose.ts'
import { diagnoses, headerChanged, headerRemoved } from '../diagnosis.ts'
import { Deviation, type Diagnosis } from '../outcome.ts'
import { shown } from '../shown.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Headers of which an answer has one at most; a proxy's own would stand beside Vitrine's. */
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

/** What all answers have in common. They come last, and look at every answer that came before. */
export const headerChecks: Check[] = [
  overAll(
    'request-id',
    'Every answer has an X-Request-Id of its own',
    'It is how an answer is found in the log.',
    (client) => {
      const known = new Set<string>()
      for (const answer of client.seen) {
        const id = answer.headers['x-request-id']
        if (id === undefined)
          throw deviation(answer, 'the header X-Request-Id', 'no X-Request-Id', missing(client, answer, 'X-Request-Id'))
        if (!UUID.test(id)) throw deviation(answer, 'a UUID as X-Request-Id', id, headerChanged('X-Request-Id'))
        if (known.has(id)) throw deviation(answer, 'an X-Request-Id that no answer had before', id, diagnoses.cached)
        known.add(id)
      }
    },
  ),
  overAll(
    'rate-limit',
    'Every answer of the API tells its quota',
    'Clients slow down by it, instead of running into 429.',
    (client) => {
      for (const answer of apiAnswers(client)) {
        const limit = required(client, answer, 'RateLimit-Limit')
        const policy = required(client, answer, 'RateLimit-Policy')
        const [, ofPolicy, window] = /^(\d+);w=(\d+)$/.exec(policy) ?? []
        if (ofPolicy !== limit)
          throw deviation(answer, `RateLimit-Policy: ${limit};w=<seconds>`, policy, headerChanged('RateLimit-Policy'))
        if (!wasRecognised(answer)) continue
        const remaining = Number(required(client, answer, 'RateLimit-Remaining'))
        if (!(remaining >= 0 && remaining <= Number(limit)))
          throw deviation(
            answer,
            `RateLimit-Remaining of at most ${limit}`,
            String(remaining),
            headerChanged('RateLimit-Remaining'),
          )
        const reset = Number(required(client, answer, 'RateLimit-Reset'))
        if (!(reset >= 0 && reset <= Number(window)))
          throw deviation(
            answer,
            `RateLimit-Reset of at most ${window}`,
            String(reset),
            headerChanged('RateLimit-Reset'),
          )
      }
    },
  ),
  overAll('retry-after', 'A 429 says when to come again', 'Clients would hammer, or give up.', (client) => {
    for (const answer of client.seen)
      if (answer.status === 429 && !/^[1-9]\d*$/.test(answer.headers['retry-after'] ?? ''))
        throw deviation(
          answer,
          'Retry-After in seconds',
          answer.headers['retry-after'] ?? 'no Retry-After',
          missing(client, answer, 'Retry-After'),
        )
    return client.seen.some(({ status }) => status === 429) ? undefined : 'no 429 was met, and none is provoked'
  }),
  overAll('single', 'No header comes twice', 'Clients take the first, the last, or both.', (client) => {
    for (const answer of client.seen) {
      const names = answer.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
      const twice = SINGLE.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
      if (twice !== undefined)
        throw deviation(answer, `one ${twice}`, answer.headers[twice] ?? '', headerChanged(twice))
    }
  }),
  overAll(
    'not-cached',
    'No answer comes from a cache',
    'Private answers would be given to others, or stale.',
    (client) => {
      for (const answer of apiAnswers(client)) {
        const { age } = answer.headers
        if (age !== undefined)
          throw deviation(answer, 'no Age: answers are not for shared caches', `Age: ${age}`, diagnoses.cached)
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
    for (const answer of client.seen) {
      const { 'content-encoding': encoding } = answer.headers
      if (encoding !== undefined && !asksForEncoding(answer))
        throw deviation(answer, 'no Content-Encoding', `Content-Encoding: ${encoding}`, diagnoses.encodedUnasked)
    }
  }),
]

function overAll(id: string, title: string, why: string, judge: (client: Client) => string | undefined): Check {
  return { id: `headers.${id}`, group: 'headers', title, why, run: async (client) => judge(client) }
}

function without(id: string, title: string, why: string, names: RegExp, diagnosis: Diagnosis): Check {
  return overAll(id, title, why, (client) => {
    for (const answer of apiAnswers(client)) {
      const name = Object.keys(answer.headers).find((each) => names.test(each))
      if (name !== undefined) throw deviation(answer, `no ${name}`, `${name}: ${answer.headers[name]}`, diagnosis)
    }
  })
}

/** Of the operations; pages of the documentation have no quota, and may be cached. */
const apiAnswers = (client: Client): SeenAnswer[] => {
  const paths = Object.keys(client.contract.document.paths)
  return client.seen.filter(({ request }) => paths.includes(request.path))
}

/** Methods are checked before keys: a 405 knows no key. A status from before the parser has none either. */
const wasRecognised = ({ request, status }: SeenAnswer): boolean =>
  request.withKey === true && ![401, 405, 408, 431].includes(status) && status < 500

/** If other answers have an X-Request-Id and this one has not, it is not Vitrine's. */
function missing({ seen }: Client, answer: SeenAnswer, name: string): Diagnosis {
  const isOwn = (each: SeenAnswer) => each.headers['x-request-id'] !== undefined
  return !isOwn(answer) && seen.some(isOwn) ? diagnoses.answeredInFront : headerRemoved(name)
}

function required(client: Client, answer: SeenAnswer, name: string): string {
  const value = answer.headers[name.toLowerCase()]
  if (value === undefined) throw deviation(answer, `the header ${name}`, `no ${name}`, missing(client, answer, name))
  return value
}

const deviation = ({ request }: SeenAnswer, expected: string, got: string, diagnosis: Diagnosis) =>
  new Deviation(`${described(request)}: ${expected}`, shown(got), diagnosis)
