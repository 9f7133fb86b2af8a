import fc from 'fast-check'
import { resources } from '../resources/declared/orders.ts'
import { publishedCodes } from '../support/problem-codes.ts'
import { framed, type Header, memoized, type Sent, wire, words } from './requests.ts'
import type { FuzzKeys, Target } from './target.ts'

const REST = resources.map(({ path }): string => path)
const MCP = ['/mcp', '/v1/mcp', '/v2/mcp']
const PAGES = [
  '/healthz',
  '/readyz',
  '/openapi.json',
  ...Object.keys(publishedCodes).map((code) => `/problems/${code}`),
]
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'QUERY']
const RARE_METHODS = ['PROPFIND', 'MKCOL', 'LINK', 'PURGE', 'M-SEARCH', 'SOURCE', 'SUBSCRIBE', 'SEARCH', 'REPORT']

export const keyKinds = ['full', 'limited', 'revoked', 'expired', 'spent', 'archived', 'none', 'garbage'] as const
export type KeyKind = (typeof keyKinds)[number]

/** Whether requests with such a key get no data. */
export const isRefused = (kind: KeyKind) => kind !== 'full' && kind !== 'limited' && kind !== 'archived'

/** The Authorization line of a kind of key, or none. */
export const authorization = (keys: FuzzKeys, kind: KeyKind) =>
  fc
    .record({
      scheme: fc.constantFrom('Bearer ', 'bearer ', 'BEARER  '),
      garbage: fc.oneof(
        fc.constantFrom('', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Bearer a b', `Token ${keys.full}`, keys.full),
        fc.constantFrom(`Bearer ${keys.full}x`, `Bearer x${keys.full}`, `Bearer ${keys.full},${keys.full}`),
        fc.string({
          unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
          maxLength: 80,
        }),
      ),
    })
    .map(({ scheme, garbage }): Header[] => {
      if (kind === 'none') return []
      if (kind === 'garbage') return [['Authorization', garbage.replaceAll('\x7f', '')]]
      return [['Authorization', scheme + keys[kind]]]
    })

/** Headers that change nothing about a response, whatever they hold. */
const IDLE_NAMES = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Range', 'If-Range', 'If-Match', 'If-Modified-Since', 'Prefer'],
  ...words('If-Unmodified-Since User-Agent X-Forwarded-For Forwarded Via TE Cookie Referer Priority'),
  ...['X-HTTP-Method-Override', 'X-Original-URL', 'X-Request-Id', 'Max-Forwards', 'Cache-Control', 'Sec-Fetch-Site'],
  ...['X-Api-Key', '__proto__', 'constructor', 'X-!#$%&*+-.^_`|~'],
]

/** Headers that may come with any request and change nothing about its response, a key in the wrong place among them. */
export const idleHeaders = (keys: FuzzKeys): fc.Arbitrary<Header[]> => {
  const text = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 40,
  })
  const value = fc.oneof(
    text,
    fc.constantFrom('*', '*/*', 'gzip, br;q=0', ...words('bytes=0-0 bytes=-1 bytes=9-1,0- "x" W/"x" 0 -1 1e999')),
    fc.constantFrom(
      ...words('::ffff:1.2.3.4 for=unknown /admin DELETE'),
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'NaN',
      ','.repeat(300),
    ),
    fc.constantFrom(keys.full, `${keys.full}/1.0 (x)`, encodeURIComponent(`Bearer ${keys.full}`)),
  )
  return fc.array(fc.tuple(fc.constantFrom(...IDLE_NAMES), value), { maxLength: 5 })
}

/** The same path in other spellings; a query changes nothing. */
const targetOf = (path: string, keys: FuzzKeys) =>
  fc
    .record({
      encoded: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
      query: fc.constantFrom('', '', `?key=${keys.full}`, ...words('? ?limit=1 ?a=%00&b=%ff ?% ?__proto__=1 ?a?b')),
      absolute: fc.constantFrom('', '', '', 'http://x', 'https://other.example:8443'),
    })
    .map(({ encoded, query, absolute }) => {
      const letters = [...path]
      for (const at of encoded) {
        const letter = letters[at] ?? ''
        if (/^[a-z]$/.test(letter)) letters[at] = `%${letter.charCodeAt(0).toString(16)}`
      }
      return absolute + letters.join('') + query
    })

const ifNoneMatch = fc.constantFrom<Header[]>(
  [],
  [],
  [['If-None-Match', '*']],
  [['If-None-Match', '"x", W/"y"']],
  [['If-None-Match', ',,']],
)

/** Well-formed requests for every operation and page, with any method, key, spelling and headers. */
export const apiRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const idle = idleHeaders(keys)
  const keyOf = memoized((kind: KeyKind) => authorization(keys, kind))
  const spellings = memoized((path: string) => targetOf(path, keys))
  return fc
    .record({
      path: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...REST) },
        { weight: 2, arbitrary: fc.constantFrom(...PAGES) },
        fc.constantFrom(...MCP),
      ),
      method: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...METHODS) }, fc.constantFrom(...RARE_METHODS)),
      kind: fc.constantFrom(...keyKinds, 'full' as const, 'full' as const),
    })
    .chain(({ path, method, kind }) =>
      fc
        .record({
          target: spellings(path),
          key: keyOf(kind),
          condition: ifNoneMatch,
          idle,
          body: fc.option(
            fc.record({
              bytes: fc.uint8Array({ maxLength: 60 }),
              chunks: fc.option(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }), { nil: undefined }),
            }),
            { nil: undefined, freq: 4 },
          ),
          expects: fc.constantFrom<Header[]>([], [], [], [['Expect', '100-continue']], [['Expect', 'the unexpected']]),
          closes: fc.constantFrom<Header[]>([], [], [], [['Connection', 'close']], [['Connection', 'keep-alive']]),
        })
        .map(({ target, key, condition, idle, body, expects, closes }): Sent => {
          // What follows CONNECT belongs to the tunnel.
          const sentBody =
            body === undefined || method === 'CONNECT' ? undefined : framed(Buffer.from(body.bytes), body.chunks)
          const headers: Header[] = [['Host', 'x'], ...key, ...condition, ...idle, ...expects, ...closes]
          if (sentBody !== undefined) headers.push(sentBody.header)
          const mustRefuse = isRefused(kind) && !PAGES.includes(path) && method !== 'OPTIONS'
          return { bytes: wire(method, target, headers, sentBody?.body), method, path, isRefused: mustRefuse }
        }),
    )
}

const encodedTwice = (text: string) => [...text].map((letter) => `%25${letter.charCodeAt(0).toString(16)}`).join('')

/** Paths that are none of the service's: each is 404, or 400 if its percent-encoding is broken. */
export const strayRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...words('tasks orders workspace mcp v1 .. .'),
      '',
      ...words('%2e%2e %2f %5c %00 %0d%0aX:1 %ff % %zz'),
    ),
    fc.constantFrom(
      ...words('TASKS tasks/ tasks;x=1 tasks%20 __proto__ constructor .env api problems orders/PO-1 ORDERS order 🎈 é'),
    ),
    fc.constantFrom(keys.full, encodedTwice(keys.full), 'a'.repeat(3000)),
    fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
  )
  const idle = idleHeaders(keys)
  const keyOf = memoized((kind: KeyKind) => authorization(keys, kind))
  return fc
    .record({
      pieces: fc.array(piece, { minLength: 1, maxLength: 5 }),
      method: fc.constantFrom(...METHODS.filter((method) => method !== 'CONNECT')),
      kind: fc.constantFrom('full' as const, 'none' as const),
      lead: fc.constantFrom(...words('/ / / // /./ /tasks/ /problems/ /.well-known/ /register http://[ x: *')),
    })
    .chain(({ pieces, method, kind, lead }) =>
      fc.record({ key: keyOf(kind), idle }).map(({ key, idle }): Sent => {
        const target = Buffer.from(lead + pieces.join('/').replace(/[\s?#]/g, '')).toString('latin1')
        return { bytes: wire(method, target, [['Host', 'x'], ...key, ...idle]), method, path: undefined }
      }),
    )
}
