import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkDeployment } from '../../../src/tools/check/run.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Answered, type Fault, startFaultyProxy } from './faulty-proxy.ts'

type Headers = Record<string, string | string[] | undefined>
type Respond = NonNullable<Fault['respond']>

const page = (status: number, headers: Record<string, string> = {}): Answered => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: Buffer.from(`<html><h1>${status}</h1><hr>nginx</html>`),
})

const remove = (headers: Headers, names: RegExp) => {
  for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name]
}
const requestWithout = (names: RegExp): Fault => ({ request: ({ headers }) => void remove(headers, names) })
const responseWithout = (names: RegExp): Fault => ({ respond: ({ headers }) => remove(headers, names) })
const withPath = (rewrite: (path: string) => string): Fault => ({
  request: (request) => void Object.assign(request, { path: rewrite(request.path) }),
})
/** Changes a header of the responses that have it. */
const withHeader = (name: string, value: (old: string) => string | string[]): Fault => ({
  respond: ({ headers }) => {
    if (headers[name] !== undefined) headers[name] = value(String(headers[name]))
  },
})
const withBody = (rewrite: (text: string) => string, only?: string): Fault => ({
  respond: (response, { path }) => {
    const isMeant = response.body.length > 0 && (only ?? path) === path
    if (isMeant) response.body = Buffer.from(rewrite(response.body.toString()))
  },
})
const respondsItself = (
  isMeant: (request: Parameters<NonNullable<Fault['request']>>[0]) => boolean,
  status: number,
) => ({
  request: (request: Parameters<NonNullable<Fault['request']>>[0]) => (isMeant(request) ? page(status) : undefined),
})

/** Compresses for clients that ask, and then changes the response. */
const compresses = (more: (response: Answered) => void): Fault => ({
  respond(response, { headers }) {
    if (!/gzip/.test(headers['accept-encoding'] ?? '') || response.headers.etag === undefined) return
    compress(response, headers as never)
    response.headers.vary = 'Accept-Encoding'
    more(response)
  },
})
const compress: Respond = (response) => {
  if (response.body.length === 0) return
  response.body = gzipSync(response.body)
  response.headers['content-encoding'] = 'gzip'
}

/** Caches GET responses, whatever their Cache-Control. */
function caches(nameOf: (path: string, headers: Record<string, string>) => string, age = {}): Fault {
  const cached = new Map<string, Answered>()
  return {
    request({ method, path, headers }) {
      const found = method === 'GET' ? cached.get(nameOf(path, headers)) : undefined
      return found && { ...found, headers: { ...found.headers, ...age } }
    },
    respond(response, { method, path, headers }) {
      if (method === 'GET' && response.status === 200) cached.set(nameOf(path, headers), structuredClone(response))
    },
  }
}

const counting = (isMeant: (count: number) => boolean) => {
  let requests = 0
  return () => isMeant(++requests)
}

/** What a proxy does, a check that must fail because of it, and the cause that all failed checks must name. */
const faults: [what: string, id: string, cause: RegExp, fault: Fault][] = [
  ['removes Authorization', 'reach.key', /removes the Authorization/, requestWithout(/^authorization$/)],
  ['removes MCP headers', 'mcp-2026.discover', /removes or changes the request header MCP-/, requestWithout(/^mcp-/)],
  ['removes quota headers', 'headers.rate-limit', /removes .* RateLimit-Limit/, responseWithout(/^ratelimit-/)],
  [
    'adds an X-Request-Id of its own',
    'headers.single',
    /changes the response header x-request-id/i,
    withHeader('x-request-id', (id) => [id, 'proxy-17']),
  ],
  [
    'replaces error responses with pages',
    'paths.unknown',
    /replaces error responses with its own pages/,
    { respond: (response) => void (response.status >= 400 && Object.assign(response, page(response.status))) },
  ],
  [
    'compresses and appends -gzip to the ETag',
    'rest.tasks.compressed-etag',
    /for example by adding -gzip/,
    compresses(({ headers }) => {
      headers.etag = String(headers.etag).replace(/"$/, '-gzip"')
    }),
  ],
  [
    'cuts compressed responses',
    'rest.tasks.compressed-etag',
    /cuts compressed responses off/,
    compresses((response) => {
      response.body = response.body.subarray(0, -9)
    }),
  ],
  [
    'names an encoding that the body does not have',
    'rest.tasks.compressed-etag',
    /Content-Encoding that the body/,
    compresses(({ headers }) => {
      headers['content-encoding'] = 'br'
    }),
  ],
  [
    'compresses without Vary',
    'rest.tasks.compressed-etag',
    /compresses responses without setting Vary/,
    compresses(({ headers }) => remove(headers, /^vary$/)),
  ],
  ['compresses for everybody', 'rest.tasks.get', /did not request it|without setting Vary/, { respond: compress }],
  ['weakens the ETag', 'rest.tasks.etag', /weakens or removes the ETag/, withHeader('etag', (etag) => `W/${etag}`)],
  ['sends one ETag for everything', 'rest.tasks.etag', /replaces the ETag/, withHeader('etag', () => '"static"')],
  ['removes If-None-Match', 'rest.tasks.etag', /removes If-None-Match/, requestWithout(/^if-none-match$/)],
  ['folds the case of paths', 'paths.case', /it changes case/, withPath((path) => path.toLowerCase())],
  [
    'removes a slash at the end',
    'paths.trailing-slash',
    /removes or adds slashes/,
    withPath((path) => path.replace(/(.)\/$/, '$1')),
  ],
  [
    'redirects a slash at the end',
    'paths.trailing-slash',
    /redirects the request/,
    { request: ({ path }) => (/.\/$/.test(path) ? page(301, { location: path.slice(0, -1) }) : undefined) },
  ],
  ['caches by the path alone', 'rest.tasks.unauthorized', /a cache stores private/, caches((path) => path)],
  [
    'caches by path and key',
    'headers.not-cached',
    /a cache stores private/,
    caches((path, headers) => path + headers.authorization, { age: '3' }),
  ],
  ['filters HEAD', 'rest.tasks.head', /method itself/, respondsItself(({ method }) => method === 'HEAD', 405)],
  ['filters DELETE', 'rest.tasks.method', /before Vitrine/, respondsItself(({ method }) => method === 'DELETE', 403)],
  [
    'limits bodies to 512 KiB',
    'transport.large-body',
    /limits request bodies/,
    respondsItself(({ headers }) => Number(headers['content-length']) > 512 * 1024, 413),
  ],
  [
    'limits headers to 4 KiB',
    'transport.large-headers',
    /limits request headers/,
    respondsItself(({ headers }) => Object.values(headers).join('').length > 4096, 400),
  ],
  [
    'refuses bodies without a length',
    'transport.chunked-body',
    /bodies without a Content-Length/,
    respondsItself(({ headers }) => headers['transfer-encoding'] !== undefined, 411),
  ],
  [
    'refuses Expect',
    'transport.expect-continue',
    /does not support Expect/,
    respondsItself(({ headers }) => headers.expect !== undefined, 417),
  ],
  [
    'allows only web pages that ask',
    'headers.cors',
    /allows web pages/,
    {
      respond: (response, { headers }) =>
        void (headers.origin && Object.assign(response.headers, { 'access-control-allow-origin': headers.origin })),
    },
  ],
  [
    'sets a cookie',
    'headers.cookies',
    /adds cookies/,
    { respond: ({ headers }) => void Object.assign(headers, { 'set-cookie': 'replica=2' }) },
  ],
  [
    'adds a charset',
    'rest.tasks.get',
    /for example by adding a charset/,
    withHeader('content-type', (type) => `${type}; charset=utf-8`),
  ],
  [
    'removes properties that are null',
    'rest.tasks.get',
    /changes bodies|parses and rewrites/,
    withBody((text) => (text.startsWith('{') ? JSON.stringify(JSON.parse(text), (_, v) => v ?? undefined) : text)),
  ],
  [
    'turns MCP responses into event streams',
    'mcp.ping',
    /into event streams/,
    {
      respond: (response, { path, method }) => {
        if (!path.endsWith('/mcp') || method !== 'POST' || response.body.length === 0) return
        response.headers['content-type'] = 'text/event-stream'
        response.body = Buffer.from(`event: message\ndata: ${response.body}\n\n`)
      },
    },
  ],
  [
    'fails now and then',
    'transport.steady',
    /fails now and then/,
    respondsItself(
      counting((count) => count % 12 === 1),
      502,
    ),
  ],
  [
    'fails for one path',
    'rest.tasks.get',
    /could not get a response from Vitrine/,
    respondsItself(({ path }) => path === '/tasks', 502),
  ],
  [
    'has a rate limit of its own',
    'mcp.ping',
    /its own rate limit/,
    respondsItself(
      counting((count) => count > 40),
      429,
    ),
  ],
  ['adds a byte order mark', 'rest.tasks.get', /byte order mark/, withBody((text) => `\uFEFF${text}`)],
  ...[5, -5].map((error): (typeof faults)[number] => [
    `sends a length of ${error} bytes more`,
    'rest.workspace.get',
    /another length than/,
    { lengthError: ({ path }) => (path === '/workspace' ? error : 0) },
  ]),
  [
    'turns ids into texts',
    'mcp.ids',
    /numeric ids change/,
    withBody((text) => text.replace(/"id":(-?[\d.]+)/, '"id":"$1"')),
  ],
  [
    'sends a quota that never falls',
    'headers.remaining',
    /sends its own quota headers/,
    withHeader('ratelimit-remaining', () => '99999'),
  ],
  [
    'sends /tasks to another deployment',
    'mcp.agreement',
    /reach different servers/,
    withBody((text) => text.replace('First', 'Other'), '/tasks'),
  ],
  [
    'knows Authorization in one form only',
    'transport.header-case',
    /as case-sensitive/,
    {
      request: ({ headers }) => {
        if (!headers.authorization?.startsWith('Bearer ')) remove(headers, /^authorization$/)
        return undefined
      },
    },
  ],
]

const METADATA = '/.well-known/oauth-protected-resource/v2/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const oauthFaults: [what: string, expected: RegExp, fault: Fault][] = [
  ['responds to the metadata itself', /server/, respondsItself(({ path }) => path === SERVER, 404)],
  ['blocks the token endpoint', /400/, respondsItself(({ path }) => path === '/oauth/token', 403)],
  ['blocks the consent page', /400/, respondsItself(({ path }) => path === '/oauth/authorize', 403)],
  ['changes the resource', /resource/, withBody((text) => text.replace('/v2/mcp"', '/v2/mcp/"'), METADATA)],
  [
    'changes the issuer',
    /issuer/,
    withBody((text) => text.replace('"issuer":"https://v.', '"issuer":"https://w.'), SERVER),
  ],
  ['leaves out S256', /code_challenge_methods_supported/, withBody((text) => text.replace('S256', 'plain'), SERVER)],
]

async function resultsThrough(t: TestContext, service: Service, fault: Fault) {
  const url = new URL(await startFaultyProxy(t, service.url, fault))
  const { results } = await checkDeployment({ target: { url }, key: service.key, wait: async () => {} })
  return results.filter((result) => result.status === 'failed')
}

/** So many checks come in one window that the quota must be large. */
const QUOTA = { RATE_LIMIT: '100000;w=60' }

test('vitrine check', async (t) => {
  const service = await startService(t, { env: QUOTA })
  await service.addTasks([{ id: 'a', title: 'First' }])
  await t.test('finds nothing wrong through a proxy without a fault', async (t) => {
    assert.deepEqual(await resultsThrough(t, service, {}), [])
  })
  for (const [what, id, cause, fault] of faults)
    await t.test(`names the cause where a proxy ${what}`, async (t) => {
      const failures = await resultsThrough(t, service, fault)
      const ids = failures.map((each) => each.id)
      assert.ok(ids.includes(id), `${id} did not fail, but ${ids}`)
      for (const each of failures) assert.match(each.cause, cause, `${each.id}: ${each.expected} / ${each.got}`)
    })
})

test('vitrine check of a deployment to which people connect by signing in', async (t) => {
  const service = await startService(t, { env: { ...QUOTA, PUBLIC_URL: 'https://v.example' } })
  for (const [what, expected, fault] of oauthFaults)
    await t.test(`finds a proxy that ${what}`, async (t) => {
      const [failure, ...others] = await resultsThrough(t, service, fault)
      assert.deepEqual([failure?.id, others], ['paths.oauth', []])
      assert.match(`${failure?.expected} ${failure?.cause}`, expected)
    })
})
