import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import diagnoses from '../../../src/tools/check/diagnoses.json' with { type: 'json' }
import { checkDeployment } from '../../../src/tools/check/run.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Answered, type Fault, startFaultyProxy } from './faulty-proxy.ts'

type Headers = Record<string, string | string[] | undefined>
type Respond = NonNullable<Fault['respond']>
type Passing = Parameters<NonNullable<Fault['request']>>[0]

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
const refuses = (isMeant: (request: Passing) => boolean, status: number): Fault => ({
  request: (request) => (isMeant(request) ? page(status) : undefined),
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

function appendGzip({ headers }: Answered): void {
  headers.etag = String(headers.etag).replace(/"$/, '-gzip"')
}
function cut(response: Answered): void {
  response.body = response.body.subarray(0, -9)
}
function misname({ headers }: Answered): void {
  headers['content-encoding'] = 'br'
}
function replaceErrors(response: Answered): void {
  if (response.status >= 400) Object.assign(response, page(response.status))
}
const redirectSlash = ({ path }: Passing) =>
  /.\/$/.test(path) ? page(301, { location: path.slice(0, -1) }) : undefined
const allowOrigin: Respond = (response, { headers }) => {
  if (headers.origin) response.headers['access-control-allow-origin'] = headers.origin
}
const withoutNulls = (text: string) =>
  text.startsWith('{') ? JSON.stringify(JSON.parse(text), (_, value) => value ?? undefined) : text
const streamEvents: Respond = (response, { path, method }) => {
  if (!path.endsWith('/mcp') || method !== 'POST' || response.body.length === 0) return
  response.headers['content-type'] = 'text/event-stream'
  response.body = Buffer.from(`event: message\ndata: ${response.body}\n\n`)
}
function keepUsualForm({ headers }: Passing): undefined {
  if (!headers.authorization?.startsWith('Bearer ')) remove(headers, /^authorization$/)
}

/** A name in diagnoses.json, or the header that is removed or changed. */
type Cause = keyof typeof diagnoses | RegExp

/** What a proxy does, a check that must fail because of it, and the cause that all failed checks must name. */
const faults: [what: string, id: string, cause: Cause, fault: Fault][] = [
  ['removes Authorization', 'reach.key', 'authorizationRemoved', requestWithout(/^authorization$/)],
  ['removes MCP headers', 'mcp-2026.discover', 'versionHeaderRemoved', requestWithout(/^mcp-/)],
  ['removes quota headers', 'headers.rate-limit', /removes .* RateLimit-Limit/, responseWithout(/^ratelimit-/)],
  [
    'adds an X-Request-Id',
    'headers.single',
    /header x-request-id/i,
    withHeader('x-request-id', (id) => [id, 'proxy-17']),
  ],
  ['replaces error responses', 'paths.unknown', 'pageReplaced', { respond: replaceErrors }],
  ['compresses and changes the ETag', 'rest.tasks.compressed-etag', 'etagChanged', compresses(appendGzip)],
  ['cuts compressed responses', 'rest.tasks.compressed-etag', 'undecodable', compresses(cut)],
  ['names an encoding that the body does not have', 'rest.tasks.compressed-etag', 'undecodable', compresses(misname)],
  [
    'compresses without Vary',
    'rest.tasks.compressed-etag',
    'varyMissing',
    compresses(({ headers }) => remove(headers, /^vary$/)),
  ],
  ['compresses for everybody', 'rest.tasks.get', 'encodedUnasked', { respond: compress }],
  ['weakens the ETag', 'rest.tasks.etag', 'etagWeakened', withHeader('etag', (etag) => `W/${etag}`)],
  ['sends one ETag for everything', 'rest.tasks.etag', 'etagReplaced', withHeader('etag', () => '"static"')],
  ['removes If-None-Match', 'rest.tasks.etag', 'conditionIgnored', requestWithout(/^if-none-match$/)],
  ['folds the case of paths', 'paths.case', 'pathRewritten', withPath((path) => path.toLowerCase())],
  [
    'removes a slash at the end',
    'paths.trailing-slash',
    'pathRewritten',
    withPath((path) => path.replace(/(.)\/$/, '$1')),
  ],
  ['redirects a slash at the end', 'paths.trailing-slash', 'redirected', { request: redirectSlash }],
  ['caches by the path alone', 'rest.tasks.unauthorized', 'cached', caches((path) => path)],
  [
    'caches by path and key',
    'headers.not-cached',
    'cached',
    caches((path, { authorization }) => path + authorization, { age: '3' }),
  ],
  ['filters HEAD', 'rest.tasks.head', 'methodFiltered', refuses(({ method }) => method === 'HEAD', 405)],
  ['filters DELETE', 'rest.tasks.method', 'blocked', refuses(({ method }) => method === 'DELETE', 403)],
  [
    'limits bodies',
    'transport.large-body',
    'bodyLimit',
    refuses(({ headers }) => Number(headers['content-length']) > 2 ** 19, 413),
  ],
  [
    'limits headers',
    'transport.large-headers',
    'headerLimit',
    refuses(({ headers }) => Object.values(headers).join('').length > 4096, 400),
  ],
  [
    'refuses chunks',
    'transport.chunked-body',
    'chunksRefused',
    refuses(({ headers }) => 'transfer-encoding' in headers, 411),
  ],
  [
    'refuses Expect',
    'transport.expect-continue',
    'continueRefused',
    refuses(({ headers }) => 'expect' in headers, 417),
  ],
  ['allows web pages that ask', 'headers.cors', 'corsAdded', { respond: allowOrigin }],
  [
    'sets a cookie',
    'headers.cookies',
    'cookieAdded',
    { respond: ({ headers }) => void Object.assign(headers, { 'set-cookie': 'a=2' }) },
  ],
  ['adds a charset', 'rest.tasks.get', 'typeChanged', withHeader('content-type', (type) => `${type}; charset=utf-8`)],
  ['removes nulls', 'rest.tasks.get', /changes bodies|parses and rewrites/, withBody(withoutNulls)],
  ['turns MCP responses into event streams', 'mcp.ping', 'eventStream', { respond: streamEvents }],
  [
    'fails now and then',
    'transport.steady',
    'gatewaySometimes',
    refuses(
      counting((count) => count % 12 === 1),
      502,
    ),
  ],
  ['fails for one path', 'rest.tasks.get', 'gateway', refuses(({ path }) => path === '/tasks', 502)],
  [
    'has a rate limit of its own',
    'mcp.ping',
    'otherLimit',
    refuses(
      counting((count) => count > 40),
      429,
    ),
  ],
  ['adds a byte order mark', 'rest.tasks.get', 'byteOrderMark', withBody((text) => `\uFEFF${text}`)],
  [
    'cuts /workspace short',
    'rest.workspace.get',
    'lengthWrong',
    { lengthError: ({ path }) => (path === '/workspace' ? 5 : 0) },
  ],
  [
    'sends /workspace too long',
    'rest.workspace.get',
    'lengthWrong',
    { lengthError: ({ path }) => (path === '/workspace' ? -5 : 0) },
  ],
  ['turns ids into texts', 'mcp.ids', 'idChanged', withBody((text) => text.replace(/"id":(-?[\d.]+)/, '"id":"$1"'))],
  ['sends a constant quota', 'headers.remaining', 'quotaConstant', withHeader('ratelimit-remaining', () => '99999')],
  [
    'sends /tasks elsewhere',
    'mcp.agreement',
    'dataDiffers',
    withBody((text) => text.replace('First', 'Other'), '/tasks'),
  ],
  ['knows Authorization in one form only', 'transport.header-case', 'caseSensitive', { request: keepUsualForm }],
]

const METADATA = '/.well-known/oauth-protected-resource/v2/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const oauthFaults: [what: string, expected: RegExp, fault: Fault][] = [
  ['responds to the metadata itself', /server/, refuses(({ path }) => path === SERVER, 404)],
  ['blocks the token endpoint', /400/, refuses(({ path }) => path === '/oauth/token', 403)],
  ['blocks the consent page', /400/, refuses(({ path }) => path === '/oauth/authorize', 403)],
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
      for (const each of failures) {
        const isNamed = cause instanceof RegExp ? cause.test(each.cause) : each.cause === diagnoses[cause].cause
        assert.ok(isNamed, `${each.id}: ${each.expected} / ${each.got}: ${each.cause}`)
      }
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
