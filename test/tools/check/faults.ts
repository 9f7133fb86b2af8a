import {
  accepts,
  cache,
  compress,
  page,
  withEtag,
  withHeaders,
  withLength,
  withoutHeaders,
  withoutRequestHeaders,
  withPath,
} from './fault-kinds.ts'
import type { Fault } from './faulty-proxy.ts'

/** A proxy's fault, with what the check must report. */
interface PlantedFault extends Fault {
  /** Of a check that fails because of it. */
  id: string
  cause: RegExp
}

const planted = (id: string, cause: RegExp, fault: Fault): PlantedFault => ({ id, cause, ...fault })

export const plantedFaults: Record<string, PlantedFault> = {
  'removes Authorization': planted('reach.key', /removes the Authorization/, withoutRequestHeaders(/^authorization$/)),
  'removes MCP headers of requests': planted(
    'mcp-2026.discover',
    /removes or changes the request header MCP-/,
    withoutRequestHeaders(/^mcp-/),
  ),
  'removes quota headers': planted('headers.rate-limit', /removes .* RateLimit-Limit/, withoutHeaders(/^ratelimit-/)),
  'adds an X-Request-Id of its own': planted('headers.single', /changes the response header x-request-id/i, {
    respond: ({ headers }) => {
      headers['x-request-id'] = [String(headers['x-request-id']), 'proxy-17']
    },
  }),
  'replaces error responses with pages': planted('paths.unknown', /replaces error responses with its own pages/, {
    respond: (response) => void (response.status >= 400 && Object.assign(response, page(response.status))),
  }),
  'compresses and appends -gzip to the ETag': planted('rest.tasks.compressed-etag', /for example by adding -gzip/, {
    respond(response, { headers }) {
      if (!accepts(headers) || response.headers.etag === undefined) return
      compress(response)
      response.headers.vary = 'Accept-Encoding'
      response.headers.etag = String(response.headers.etag).replace(/"$/, '-gzip"')
    },
  }),
  'cuts compressed responses': planted('rest.tasks.compressed-etag', /cuts compressed responses off/, {
    respond(response, { headers }) {
      if (!accepts(headers) || response.headers.etag === undefined) return
      compress(response)
      response.headers.vary = 'Accept-Encoding'
      response.body = response.body.subarray(0, -9)
    },
  }),
  'names an encoding that the body does not have': planted(
    'rest.tasks.compressed-etag',
    /Content-Encoding that the body/,
    {
      respond(response, { headers }) {
        if (accepts(headers)) Object.assign(response.headers, { 'content-encoding': 'br', vary: 'Accept-Encoding' })
      },
    },
  ),
  'compresses without Vary': planted('rest.tasks.compressed-etag', /compresses responses without setting Vary/, {
    respond: (response, { headers }) => void (accepts(headers) && compress(response)),
  }),
  'compresses for everybody': planted('rest.tasks.get', /clients that did not request it|without setting Vary/, {
    respond: compress,
  }),
  'weakens the ETag': planted('rest.tasks.etag', /weakens or removes the ETag/, {
    respond({ headers }) {
      if (headers.etag !== undefined) headers.etag = `W/${headers.etag}`
    },
  }),
  'removes If-None-Match': planted(
    'rest.tasks.etag',
    /removes If-None-Match/,
    withoutRequestHeaders(/^if-none-match$/),
  ),
  'folds the case of paths': planted(
    'paths.case',
    /it changes case/,
    withPath((path) => path.toLowerCase()),
  ),
  'removes a slash at the end': planted(
    'paths.trailing-slash',
    /removes or adds slashes/,
    withPath((path) => path.replace(/(.)\/$/, '$1')),
  ),
  'redirects a slash at the end': planted('paths.trailing-slash', /redirects the request/, {
    request: ({ path }) => (/.\/$/.test(path) ? { ...page(301), headers: { location: path.slice(0, -1) } } : undefined),
  }),
  'caches by the path alone': planted(
    'rest.tasks.unauthorized',
    /a cache stores private/,
    cache((path) => path),
  ),
  'caches by path and key': planted(
    'headers.not-cached',
    /a cache stores private/,
    cache((path, headers) => path + headers.authorization, '3'),
  ),
  'filters HEAD': planted('rest.tasks.head', /responds to this method itself/, {
    request: ({ method }) => (method === 'HEAD' ? page(405) : undefined),
  }),
  'limits bodies to 512 KiB': planted('transport.large-body', /limits request bodies/, {
    request: ({ headers }) => (Number(headers['content-length']) > 512 * 1024 ? page(413) : undefined),
  }),
  'limits headers to 4 KiB': planted('transport.large-headers', /limits request headers/, {
    request: ({ headers }) => (Object.values(headers).join('').length > 4096 ? page(400) : undefined),
  }),
  'refuses bodies without a length': planted('transport.chunked-body', /bodies without a Content-Length/, {
    request: ({ headers }) => (headers['transfer-encoding'] !== undefined ? page(411) : undefined),
  }),
  'refuses Expect': planted('transport.expect-continue', /does not support Expect/, {
    request: ({ headers }) => (headers.expect !== undefined ? page(417) : undefined),
  }),
  'filters DELETE': planted('rest.tasks.method', /refuses the request before Vitrine sees it/, {
    request: ({ method }) => (method === 'DELETE' ? page(403) : undefined),
  }),
  'allows only web pages that ask': planted('transport.web-pages', /allows web pages/, {
    respond: (response, { headers }) =>
      void (headers.origin && Object.assign(response.headers, { 'access-control-allow-origin': headers.origin })),
  }),
  'sets a cookie': planted('headers.cookies', /adds cookies/, withHeaders({ 'set-cookie': 'replica=2' })),
  'adds a charset': planted('rest.tasks.get', /for example by adding a charset/, {
    respond({ headers }) {
      if (headers['content-type'] !== undefined) headers['content-type'] += '; charset=utf-8'
    },
  }),
  'removes members that are null': planted('rest.tasks.get', /changes bodies|parses and rewrites/, {
    respond: (response) => {
      const text = response.body.toString()
      if (text.startsWith('{')) response.body = Buffer.from(JSON.stringify(JSON.parse(text), (_, v) => v ?? undefined))
    },
  }),
  'turns MCP responses into event streams': planted('mcp.ping', /into event streams/, {
    respond: (response, { path, method }) => {
      if (!path.endsWith('/mcp') || method !== 'POST' || response.body.length === 0) return
      response.headers['content-type'] = 'text/event-stream'
      response.body = Buffer.from(`event: message\ndata: ${response.body}\n\n`)
    },
  }),
  'sends one ETag for everything': planted(
    'rest.tasks.etag',
    /replaces the ETag with its own/,
    withEtag(() => '"static"'),
  ),
  'fails now and then': planted('transport.steady', /fails now and then/, {
    request: (() => {
      let requests = 0
      return () => (++requests % 12 === 1 ? page(502) : undefined)
    })(),
  }),
  'fails for one path': planted('rest.tasks.get', /could not get a response from Vitrine/, {
    request: ({ path }) => (path === '/tasks' ? page(502) : undefined),
  }),
  'adds a byte order mark': planted('rest.tasks.get', /byte order mark/, {
    respond(response) {
      if (response.body.length > 0) response.body = Buffer.from(`\uFEFF${response.body}`)
    },
  }),
  'sends /workspace cut short': planted('rest.workspace.get', /another length than/, withLength('/workspace', 5)),
  'sends /workspace longer than it says': planted(
    'rest.workspace.get',
    /another length than/,
    withLength('/workspace', -5),
  ),
  'turns ids into texts': planted('mcp.ids', /numeric ids change/, {
    respond: (response) => {
      response.body = Buffer.from(response.body.toString().replace(/"id":(\d+)/, '"id":"$1"'))
    },
  }),
  'sends a quota that never falls': planted('headers.remaining', /sends its own quota headers/, {
    respond: ({ headers }) =>
      void (headers['ratelimit-remaining'] !== undefined && Object.assign(headers, { 'ratelimit-remaining': '99999' })),
  }),
  'sends /tasks to another deployment': planted('mcp.agreement', /reach different servers/, {
    respond: (response, { path }) => {
      if (path === '/tasks') response.body = Buffer.from(response.body.toString().replace('First', 'Other'))
    },
  }),
  'knows Authorization in one form only': planted('transport.header-case', /as case-sensitive/, {
    request({ headers }) {
      if (!headers.authorization?.startsWith('Bearer ')) delete headers.authorization
      return undefined
    },
  }),
  'has a rate limit of its own': planted('mcp.ping', /has its own rate limit/, {
    request: (() => {
      let requests = 0
      return () => (++requests > 40 ? page(429) : undefined)
    })(),
  }),
}
