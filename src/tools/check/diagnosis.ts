export interface Diagnosis {
  cause: string
  fix: string
  see: string
}

const diagnosis = (cause: string, fix: string, see = 'docs/proxies.md'): Diagnosis => ({ cause, fix, see })
const rfc = (number: number, section: string) => `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`

/** What proxies do to requests and responses, and the usual fix. */
export const diagnoses = {
  authorizationRemoved: diagnosis(
    'a proxy removes the Authorization header from requests, or uses it itself: Vitrine received no key',
    'let the proxy forward Authorization; turn off its own authentication for these paths',
    rfc(9110, '11.6.2'),
  ),
  keyRefused: diagnosis(
    'the key is unknown, expired, paused or revoked, or a proxy replaces it',
    "look the key up with 'vitrine key list', and create one if it has ended",
    'docs/problems/unauthorized.md',
  ),
  pageReplaced: diagnosis(
    'a proxy replaces error responses with its own pages',
    'turn that off: proxy_intercept_errors (nginx), handle_errors (Caddy), errorfile and http-errors (HAProxy), custom error pages (CDN)',
  ),
  redirected: diagnosis(
    'a proxy redirects the request; many clients repeat a redirected POST as a GET, and drop the key on another host',
    'give clients the final URL, and let the proxy forward paths unchanged',
    rfc(9110, '15.4'),
  ),
  bodyLimit: diagnosis(
    "a proxy limits request bodies to less than Vitrine's limit of 1 MiB",
    'allow slightly more than 1 MiB: client_max_body_size 2m (nginx), request_body max_size 2MB (Caddy)',
  ),
  headerLimit: diagnosis(
    'a proxy limits request headers to less than clients with tracing headers send',
    'allow 16 KiB: large_client_header_buffers 4 16k (nginx), tune.bufsize 32768 (HAProxy)',
  ),
  methodFiltered: diagnosis(
    'a proxy or firewall responds to this method itself',
    'let it forward every method: Vitrine is read-only and refuses unknown methods',
    rfc(9110, '9.1'),
  ),
  blocked: diagnosis(
    'a proxy or firewall refuses the request before Vitrine sees it',
    "exempt the API's paths from its rules",
  ),
  gateway: diagnosis('a proxy could not get a response from Vitrine', "check that Vitrine runs, and the proxy's log"),
  gatewaySometimes: diagnosis(
    'a proxy fails now and then: it uses a connection that Vitrine has just closed, or one of its servers is down or restarts',
    'let it close idle connections before Vitrine does (within 60 seconds), check its servers with /readyz, and retry failed requests: all of them only read',
  ),
  otherLimit: diagnosis(
    "a proxy has its own rate limit, or other clients use up the key's quota",
    "raise the proxy's limit above the keys' quota, or use a separate key for the check",
    'docs/problems/rate_limited.md',
  ),
  versionHeaderRemoved: diagnosis(
    'a proxy removes or changes the request header MCP-Protocol-Version, Mcp-Method or Mcp-Name',
    'let the proxy forward all headers; a list of allowed headers must include these three',
    'docs/mcp.md',
  ),
  etagWeakened: diagnosis(
    'a proxy transforms responses (compression, minification) and weakens or removes the ETag',
    'compress in a way that keeps the ETag, or not at all for these paths',
  ),
  etagChanged: diagnosis(
    'a proxy compresses responses and changes the ETag, for example by adding -gzip, so that it never matches again',
    'turn compression off for these paths, or have the proxy restore the ETag in If-None-Match (Apache: DeflateAlterETag NoChange)',
    rfc(9110, '13.1.2'),
  ),
  conditionIgnored: diagnosis(
    'a proxy removes If-None-Match from requests, so that every poll transfers the whole body',
    'let the proxy forward If-None-Match',
    rfc(9110, '13.1.2'),
  ),
  etagReplaced: diagnosis(
    'a proxy replaces the ETag with its own: if that stays the same, clients never see a change',
    "let the proxy forward Vitrine's ETag, and add none",
    rfc(9110, '8.8.3'),
  ),
  varyMissing: diagnosis(
    'a proxy compresses responses without setting Vary: a cache would serve the compressed form to every client',
    'add Vary: Accept-Encoding (nginx: gzip_vary on)',
    rfc(9110, '12.5.5'),
  ),
  encodedUnasked: diagnosis(
    'a proxy compresses responses for clients that did not request it',
    'compress only if Accept-Encoding allows it',
    rfc(9110, '12.5.3'),
  ),
  cached: diagnosis(
    'a cache stores private responses, and serves them to other clients or after they have changed',
    'turn the cache off for these paths; it must obey Cache-Control: private, no-cache',
    rfc(9111, '3.5'),
  ),
  headHasBody: diagnosis(
    'a proxy turns HEAD into GET, or sends a body with the response: clients misread the next response on the connection',
    'let the proxy forward HEAD unchanged',
    rfc(9110, '9.3.2'),
  ),
  pathRewritten: diagnosis(
    'a proxy rewrites paths: it changes case, or removes or adds slashes',
    'forward paths unchanged: no case folding, no trailing-slash rule, no merging of slashes for these paths',
    rfc(3986, '6.2.2'),
  ),
  answeredInFront: diagnosis(
    'something in front of Vitrine responded to this request itself, or replaced the whole response: other responses have the header',
    'let it forward the request; other failures in this report show what it does',
  ),
  anotherServer: diagnosis(
    'a proxy responds to this path itself, or forwards it to another server',
    'forward every path of the host to Vitrine',
  ),
  typeChanged: diagnosis(
    'a proxy changes the Content-Type, for example by adding a charset',
    'leave the Content-Type unchanged (nginx: charset off)',
    rfc(8259, '11'),
  ),
  eventStream: diagnosis(
    'a gateway turns responses into event streams (SSE), or opens its own: Vitrine sends JSON and offers no stream',
    'let the gateway forward responses unchanged; turn off its own MCP transport or streaming for these paths',
    'docs/mcp.md',
  ),
  byteOrderMark: diagnosis(
    'a proxy puts a byte order mark (EF BB BF) before bodies, which JSON must not have: parsers refuse it',
    'turn off its conversion of character sets or its body templates for these paths',
    rfc(8259, '8.1'),
  ),
  lengthWrong: diagnosis(
    'a proxy sends another length than its Content-Length says, or cuts responses off',
    'turn off filters that change bodies without correcting Content-Length; check its log, and its limits for the size and time of responses',
    rfc(9112, '6.3'),
  ),
  idChanged: diagnosis(
    'a gateway parses and rewrites JSON-RPC messages: numeric ids change, and clients wait for theirs',
    'let the gateway forward bodies byte for byte',
    'docs/mcp.md',
  ),
  dataDiffers: diagnosis(
    'REST and MCP reach different servers or databases, or a cache serves old data to one of them',
    'forward every path of the host to the same deployment, and turn caches off for these paths',
  ),
  quotaConstant: diagnosis(
    'a proxy sends its own quota headers, or cached ones: clients cannot use them to slow down',
    'let the proxy forward the RateLimit headers, and add none',
    'docs/problems/rate_limited.md',
  ),
  bodyChanged: diagnosis(
    'a proxy changes bodies, or the server has another version',
    'turn off body filters; contract.document shows the version',
  ),
  chunksRefused: diagnosis(
    'a proxy does not accept request bodies without a Content-Length (Transfer-Encoding: chunked)',
    'let the proxy accept chunked bodies, and buffer them if it must',
    rfc(9112, '7.1'),
  ),
  continueRefused: diagnosis(
    'a proxy does not support Expect: 100-continue, which curl and others send with larger bodies',
    'let the proxy send 100 Continue or forward Expect',
    rfc(9110, '10.1.1'),
  ),
  cookieAdded: diagnosis(
    'a proxy adds cookies to API responses, for example for sticky sessions',
    'turn that off: the API is stateless, and any replica can serve any request',
    rfc(6265, '3'),
  ),
  corsAdded: diagnosis(
    'a proxy allows web pages to call the API: keys would be used in browsers',
    'remove the Access-Control headers: keys are for servers',
    'docs/security.md',
  ),
  wrongPublicUrl: diagnosis(
    'PUBLIC_URL is not the URL that clients use, so links in responses point elsewhere',
    'set PUBLIC_URL to the URL that was checked',
    'docs/operating.md',
  ),
  caseSensitive: diagnosis(
    'a proxy treats header names or the Authorization scheme as case-sensitive',
    'compare them case-insensitively',
    rfc(9110, '5.1'),
  ),
  unknown: diagnosis(
    'unknown: the response does not match the contract',
    "check Vitrine's own address, without the proxies in front of it; if that fails too, report it",
  ),
}

export const headerRemoved = (name: string): Diagnosis =>
  diagnosis(
    `a proxy removes or renames the response header ${name}`,
    `let the proxy forward ${name}; a list of exposed headers must include it`,
  )

export const headerChanged = (name: string): Diagnosis =>
  diagnosis(`a proxy changes the response header ${name}, or adds its own`, `let the proxy leave ${name} unchanged`)
