import type { HttpResponse } from './http.ts'

export interface Diagnosis {
  cause: string
  fix: string
  see: string
}

const diagnosis = (cause: string, fix: string, see = 'docs/proxies.md'): Diagnosis => ({ cause, fix, see })
const rfc = (number: number, section: string) => `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`

/** What proxies do to requests and responses, and the usual way to stop it. */
export const diagnoses = {
  authorizationRemoved: diagnosis(
    'a proxy removes the Authorization header of requests, or uses it itself: Vitrine saw no key',
    'let the proxy pass Authorization on; turn off its own authentication for these paths',
    rfc(9110, '11.6.2'),
  ),
  keyRefused: diagnosis(
    'the key is unknown, expired, paused or revoked, or a proxy puts another one in its place',
    "look the key up with 'vitrine key list', and create one if it has ended",
    'docs/problems/unauthorized.md',
  ),
  pageReplaced: diagnosis(
    'a proxy replaces error responses with pages of its own',
    'turn that off: proxy_intercept_errors (nginx), handle_errors (Caddy), errorfile and http-errors (HAProxy), custom error pages (CDN)',
  ),
  redirected: diagnosis(
    'a proxy redirects the request; many clients repeat a redirected POST as a GET, and drop the key on another host',
    'give clients the final URL, and let the proxy pass paths on as they are',
    rfc(9110, '15.4'),
  ),
  bodyLimit: diagnosis(
    'a proxy limits the size of request bodies to less than Vitrine does, which is 1 MiB',
    'allow 1 MiB and a little more: client_max_body_size 2m (nginx), request_body max_size 2MB (Caddy)',
  ),
  headerLimit: diagnosis(
    'a proxy limits the size of request headers to less than clients with tracing headers send',
    'allow 16 KiB: large_client_header_buffers 4 16k (nginx), tune.bufsize 32768 (HAProxy)',
  ),
  methodFiltered: diagnosis(
    'a proxy or firewall answers this method itself',
    'let it pass every method on: Vitrine is read-only and refuses what it does not know',
    rfc(9110, '9.1'),
  ),
  blocked: diagnosis(
    'a proxy or firewall refuses the request before Vitrine sees it',
    'exempt the paths of the API from its rules',
  ),
  gateway: diagnosis('a proxy could not get a response from Vitrine', "check that Vitrine runs, and the proxy's log"),
  otherLimit: diagnosis(
    'a proxy has a rate limit of its own, or others use up the quota of the key',
    "raise the proxy's limit above the quota of the keys, or use a key of its own for the check",
    'docs/problems/rate_limited.md',
  ),
  versionHeaderRemoved: diagnosis(
    'a proxy removes or changes the header MCP-Protocol-Version, Mcp-Method or Mcp-Name of requests',
    'let the proxy pass all headers on; a list of allowed headers must have these three',
    'docs/mcp.md',
  ),
  etagWeakened: diagnosis(
    'a proxy transforms responses (compression, minification), and weakens or removes the ETag',
    'compress in a way that keeps the ETag, or not at all for these paths',
  ),
  etagChanged: diagnosis(
    'a proxy compresses responses and changes the ETag, such as with the suffix -gzip, so that it never matches again',
    'turn compression off for these paths, or have the proxy restore the ETag in If-None-Match (Apache: DeflateAlterETag NoChange)',
    rfc(9110, '13.1.2'),
  ),
  conditionIgnored: diagnosis(
    'a proxy removes If-None-Match from requests, so that every poll transfers the whole body',
    'let the proxy pass If-None-Match on',
    rfc(9110, '13.1.2'),
  ),
  varyMissing: diagnosis(
    'a proxy compresses responses without saying so in Vary: a cache would give the compressed form to everyone',
    'add Vary: Accept-Encoding (nginx: gzip_vary on)',
    rfc(9110, '12.5.5'),
  ),
  encodedUnasked: diagnosis(
    'a proxy compresses responses to clients that did not ask for it',
    'compress only by Accept-Encoding',
    rfc(9110, '12.5.3'),
  ),
  cached: diagnosis(
    'a cache between keeps private responses, and gives them to others or after they have changed',
    'turn the cache off for these paths; it must obey Cache-Control: private, no-cache',
    rfc(9111, '3.5'),
  ),
  headHasBody: diagnosis(
    'a proxy turns HEAD into GET, or sends a body with it: the next response on the connection is misread',
    'let the proxy pass HEAD on as it is',
    rfc(9110, '9.3.2'),
  ),
  pathRewritten: diagnosis(
    'a proxy rewrites paths: it folds case, removes or adds slashes',
    'pass paths on as they are: no case folding, no trailing-slash rule, no merging of slashes for these paths',
    rfc(3986, '6.2.2'),
  ),
  answeredInFront: diagnosis(
    'something in front of Vitrine answered this request itself, or replaced the whole response: other responses have the header',
    'let it pass the request on; other failures of this report say what it does',
  ),
  anotherServer: diagnosis(
    'a proxy answers this path itself or sends it to another server',
    'send every path of the host to Vitrine',
  ),
  typeChanged: diagnosis(
    'a proxy changes the Content-Type, such as by adding a charset',
    'leave the Content-Type as it is (nginx: charset off)',
    rfc(8259, '11'),
  ),
  bodyChanged: diagnosis(
    'a proxy changes bodies, or another version answers',
    'turn off filters of bodies; contract.document notes the version',
  ),
  chunksRefused: diagnosis(
    'a proxy does not accept request bodies without a Content-Length (Transfer-Encoding: chunked)',
    'let the proxy accept chunked bodies, and buffer them if it must',
    rfc(9112, '7.1'),
  ),
  continueRefused: diagnosis(
    'a proxy does not understand Expect: 100-continue, which curl and others send with larger bodies',
    'let the proxy answer 100 Continue or pass Expect on',
    rfc(9110, '10.1.1'),
  ),
  cookieAdded: diagnosis(
    'a proxy adds cookies to responses of the API, such as for sticky sessions',
    'turn that off: every request stands alone, and any replica answers it',
    rfc(6265, '3'),
  ),
  corsAdded: diagnosis(
    'a proxy allows web pages to call the API: keys would be used in browsers',
    'remove the Access-Control headers: keys are for servers',
    'docs/security.md',
  ),
  wrongPublicUrl: diagnosis(
    'PUBLIC_URL is not the URL that clients use, so links in responses lead elsewhere',
    'set PUBLIC_URL to the URL that was checked',
    'docs/operating.md',
  ),
  caseSensitive: diagnosis(
    'a proxy knows header names or the scheme of Authorization in one case only',
    'compare them without regard to case',
    rfc(9110, '5.1'),
  ),
  unknown: diagnosis(
    'not known: the response is not what the contract says',
    "compare with a check of Vitrine's own address, without what stands before it; if that fails too, report it",
  ),
}

export const headerRemoved = (name: string): Diagnosis =>
  diagnosis(
    `a proxy removes or renames the header ${name} of responses`,
    `let the proxy pass ${name} on; a list of exposed headers must have it`,
  )

export const headerChanged = (name: string): Diagnosis =>
  diagnosis(
    `a proxy changes the header ${name} of responses, or adds one of its own`,
    `let the proxy leave ${name} as it is`,
  )

/** Explains every deviation of the response, whichever was seen first. */
export function diagnoseResponse(response: HttpResponse): Diagnosis | undefined {
  if (response.isRepeated) return diagnoses.cached
  if (response.status === 429) return diagnoses.otherLimit
  return isEncodedUnasked(response) ? diagnoses.encodedUnasked : undefined
}

/** Requests accept no encoding unless they name one. */
export const isEncodedUnasked = ({ request, headers }: HttpResponse): boolean =>
  headers['content-encoding'] !== undefined &&
  !Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'accept-encoding')

/** What a status means that did not come from Vitrine. */
const foreignStatus: Record<number, Diagnosis> = {
  403: diagnoses.blocked,
  405: diagnoses.methodFiltered,
  406: diagnoses.blocked,
  411: diagnoses.chunksRefused,
  413: diagnoses.bodyLimit,
  417: diagnoses.continueRefused,
  431: diagnoses.headerLimit,
  494: diagnoses.headerLimit,
  501: diagnoses.methodFiltered,
  502: diagnoses.gateway,
  503: diagnoses.gateway,
  504: diagnoses.gateway,
}

export const isRedirect = ({ status }: HttpResponse): boolean => status >= 300 && status < 400 && status !== 304

const mediaType = ({ headers }: HttpResponse): string =>
  (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase()

export function diagnoseStatus(response: HttpResponse): Diagnosis {
  const { status, request, headers } = response
  if (isRedirect(response)) return diagnoses.redirected
  if (status === 401 && request.withKey)
    return /invalid_token/.test(headers['www-authenticate'] ?? '')
      ? diagnoses.keyRefused
      : diagnoses.authorizationRemoved
  if (mediaType(response) === 'application/problem+json') return diagnoses.unknown
  if (foreignStatus[status] !== undefined) return foreignStatus[status]
  if (mediaType(response) !== 'text/html') return diagnoses.unknown
  if (status >= 400) return diagnoses.pageReplaced
  return request.method === 'GET' ? diagnoses.anotherServer : diagnoses.methodFiltered
}

export function diagnoseType(response: HttpResponse, expected: string): Diagnosis {
  if (mediaType(response) === expected) return diagnoses.typeChanged
  if (response.headers['content-type'] === undefined && response.body.length > 0) return headerRemoved('Content-Type')
  return response.status >= 400 ? diagnoses.pageReplaced : diagnoses.anotherServer
}
