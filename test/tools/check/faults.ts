import { gzipSync } from 'node:zlib'
import type { Answered, Fault } from './faulty-proxy.ts'

/** A fault of a proxy, with what the check must say of it. */
export interface PlantedFault extends Fault {
  /** Of a check that fails because of it. */
  id: string
  cause: RegExp
  /** Not one of the twelve of every run: planted in the long tests only. */
  isLong?: true
}

const page = (status: number): Answered => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from(`<html><h1>${status}</h1><hr>nginx</html>`),
})

const withoutHeaders = (names: RegExp): Pick<Fault, 'respond'> => ({
  respond({ headers }) {
    for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name]
  },
})

const withoutRequestHeaders = (names: RegExp): Pick<Fault, 'request'> => ({
  request({ headers }) {
    for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name]
    return undefined
  },
})

const withPath = (rewrite: (path: string) => string): Pick<Fault, 'request'> => ({
  request(request) {
    request.path = rewrite(request.path)
    return undefined
  },
})

const withHeaders = (added: Record<string, string | string[]>): Pick<Fault, 'respond'> => ({
  respond: ({ headers }) => void Object.assign(headers, added),
})

function compress(response: Answered): void {
  if (response.body.length === 0) return
  response.body = gzipSync(response.body)
  response.headers['content-encoding'] = 'gzip'
}

const accepts = (headers: Record<string, string>) => /gzip/.test(headers['accept-encoding'] ?? '')

/** Keeps answers of GET by what `nameOf` says, whatever their Cache-Control. */
function cache(nameOf: (path: string, headers: Record<string, string>) => string, age?: string): Fault {
  const kept = new Map<string, Answered>()
  return {
    request({ method, path, headers }) {
      const found = method === 'GET' ? kept.get(nameOf(path, headers)) : undefined
      return found && { ...found, headers: { ...found.headers, ...(age !== undefined && { age }) } }
    },
    respond(response, { method, path, headers }) {
      if (method === 'GET' && response.status === 200) kept.set(nameOf(path, headers), structuredClone(response))
    },
  }
}

const planted = (id: string, cause: RegExp, fault: Fault): PlantedFault => ({ id, cause, ...fault })
const long = (id: string, cause: RegExp, fault: Fault): PlantedFault => ({ id, cause, isLong: true, ...fault })

export const plantedFaults: Record<string, PlantedFault> = {
  'removes Authorization': planted('reach.key', /removes the Authorization/, withoutRequestHeaders(/^authorization$/)),
  'removes MCP headers of requests': planted(
    'mcp-2026.discover',
    /removes or changes the request header MCP-/,
    withoutRequestHeaders(/^mcp-/),
  ),
  'removes quota headers': planted('headers.rate-limit', /removes .* RateLimit-Limit/, withoutHeaders(/^ratelimit-/)),
  'removes the ETag': long('rest.tasks.etag', /removes or renames the response header ETag/, withoutHeaders(/^etag$/)),
  'removes X-Request-Id': long('headers.request-id', /removes .* X-Request-Id/, withoutHeaders(/^x-request-id$/)),
  'adds an X-Request-Id of its own': long('headers.single', /changes the header x-request-id/i, {
    respond: ({ headers }) => {
      headers['x-request-id'] = [String(headers['x-request-id']), 'proxy-17']
    },
  }),
  'removes WWW-Authenticate': long(
    'rest.tasks.unauthorized',
    /removes .* WWW-Authenticate/,
    withoutHeaders(/^www-authenticate$/),
  ),
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
  'compresses without Vary': long('rest.tasks.compressed-etag', /compresses responses without setting Vary/, {
    respond: (response, { headers }) => void (accepts(headers) && compress(response)),
  }),
  'compresses for everybody': long('headers.not-encoded', /clients that did not request it|without setting Vary/, {
    respond: compress,
  }),
  'weakens the ETag': long('rest.tasks.etag', /weakens or removes the ETag/, {
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
  'redirects a slash at the end': long('paths.trailing-slash', /redirects the request/, {
    request: ({ path }) => (/.\/$/.test(path) ? { ...page(301), headers: { location: path.slice(0, -1) } } : undefined),
  }),
  'merges slashes': long(
    'paths.slashes',
    /removes or adds slashes/,
    withPath((path) => path.replace(/\/{2,}/g, '/')),
  ),
  'caches by the path alone': planted(
    'rest.tasks.unauthorized',
    /a cache stores private/,
    cache((path) => path),
  ),
  'caches by path and key': long(
    'headers.not-cached',
    /a cache stores private/,
    cache((path, headers) => path + headers.authorization, '3'),
  ),
  'sends a body with HEAD': planted('rest.tasks.head', /turns HEAD into GET/, { responsesHeadWithBody: true }),
  'limits bodies to 512 KiB': planted('transport.large-body', /limits request bodies/, {
    request: ({ headers }) => (Number(headers['content-length']) > 512 * 1024 ? page(413) : undefined),
  }),
  'limits headers to 4 KiB': long('transport.large-headers', /limits request headers/, {
    request: ({ headers }) => (Object.values(headers).join('').length > 4096 ? page(400) : undefined),
  }),
  'refuses bodies without a length': long('transport.chunked-body', /bodies without a Content-Length/, {
    request: ({ headers }) => (headers['transfer-encoding'] !== undefined ? page(411) : undefined),
  }),
  'refuses Expect': long('transport.expect-continue', /does not support Expect/, {
    request: ({ headers }) => (headers.expect !== undefined ? page(417) : undefined),
  }),
  'answers OPTIONS itself': long('rest.tasks.options', /responds to this method itself/, {
    request: ({ method }) => (method === 'OPTIONS' ? { ...page(200), body: Buffer.alloc(0) } : undefined),
  }),
  'filters DELETE': long('rest.tasks.method', /refuses the request before Vitrine sees it/, {
    request: ({ method }) => (method === 'DELETE' ? page(403) : undefined),
  }),
  'allows web pages': long('headers.cors', /allows web pages/, withHeaders({ 'access-control-allow-origin': '*' })),
  'sets a cookie': long('headers.cookies', /adds cookies/, withHeaders({ 'set-cookie': 'replica=2' })),
  'adds a charset': long('rest.tasks.get', /for example by adding a charset/, {
    respond({ headers }) {
      if (headers['content-type'] !== undefined) headers['content-type'] += '; charset=utf-8'
    },
  }),
  'removes members that are null': long('rest.tasks.get', /changes bodies/, {
    respond: (response) => {
      const text = response.body.toString()
      if (text.startsWith('{')) response.body = Buffer.from(JSON.stringify(JSON.parse(text), (_, v) => v ?? undefined))
    },
  }),
  'knows Authorization in one form only': long('transport.header-case', /as case-sensitive/, {
    request({ headers }) {
      if (!headers.authorization?.startsWith('Bearer ')) delete headers.authorization
      return undefined
    },
  }),
  'has OAuth metadata of another service': long('paths.no-oauth', /responds to this path itself/, {
    request: ({ path }) => (path.startsWith('/.well-known/') ? page(200) : undefined),
  }),
  'has a rate limit of its own': planted('mcp.ping', /has its own rate limit/, {
    request: (() => {
      let requests = 0
      return () => (++requests > 40 ? page(429) : undefined)
    })(),
  }),
}
