import type { Diagnosis } from './outcome.ts'

const GUIDE = 'docs/proxies.md'
const rfc = (number: number, section: string) => `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`

/** What stands between a client and Vitrine does to requests and answers, with the usual way to stop it. */
export const diagnoses = {
  authorizationRemoved: {
    cause: 'a proxy removes the Authorization header of requests, or uses it itself: Vitrine saw no key',
    fix: 'let the proxy pass Authorization on; turn off its own authentication for these paths',
    see: rfc(9110, '11.6.2'),
  },
  keyRefused: {
    cause: 'the key is unknown, expired, paused or revoked, or a proxy puts another one in its place',
    fix: "look the key up with 'vitrine key list', and create one if it has ended",
    see: 'docs/problems/unauthorized.md',
  },
  pageReplaced: {
    cause: 'a proxy replaces error answers with pages of its own',
    fix: 'turn that off: proxy_intercept_errors (nginx), handle_errors (Caddy), errorfile and http-errors (HAProxy), custom error pages (CDN)',
    see: GUIDE,
  },
  redirected: {
    cause:
      'a proxy redirects the request; many clients repeat a redirected POST as a GET, and drop the key on another host',
    fix: 'give clients the final URL, and let the proxy pass paths on as they are',
    see: rfc(9110, '15.4'),
  },
  bodyLimit: {
    cause: 'a proxy limits the size of request bodies to less than Vitrine does, which is 1 MiB',
    fix: 'allow 1 MiB and a little more: client_max_body_size 2m (nginx), request_body max_size 2MB (Caddy)',
    see: GUIDE,
  },
  headerLimit: {
    cause: 'a proxy limits the size of request headers to less than clients with tracing headers send',
    fix: 'allow 16 KiB: large_client_header_buffers 4 16k (nginx), tune.bufsize 32768 (HAProxy)',
    see: GUIDE,
  },
  methodFiltered: {
    cause: 'a proxy or firewall answers this method itself',
    fix: 'let it pass every method on: Vitrine is read-only and refuses what it does not know',
    see: rfc(9110, '9.1'),
  },
  blocked: {
    cause: 'a proxy or firewall refuses the request before Vitrine sees it',
    fix: 'exempt the paths of the API from its rules',
    see: GUIDE,
  },
  gateway: {
    cause: 'a proxy could not get an answer from Vitrine',
    fix: "check that Vitrine runs, and the proxy's log",
    see: GUIDE,
  },
  otherLimit: {
    cause: 'a proxy has a rate limit of its own, or others use up the quota of the key',
    fix: "raise the proxy's limit above the quota of the keys, or use a key of its own for the check",
    see: 'docs/problems/rate_limited.md',
  },
  versionHeaderRemoved: {
    cause: 'a proxy removes or changes the header MCP-Protocol-Version, Mcp-Method or Mcp-Name of requests',
    fix: 'let the proxy pass all headers on; a list of allowed headers must have these three',
    see: 'docs/mcp.md',
  },
  etagWeakened: {
    cause: 'a proxy transforms answers (compression, minification), and weakens or removes the ETag',
    fix: 'compress in a way that keeps the ETag, or not at all for these paths',
    see: GUIDE,
  },
  etagChanged: {
    cause:
      'a proxy compresses answers and changes the ETag, such as with the suffix -gzip, so that it never matches again',
    fix: 'turn compression off for these paths, or have the proxy restore the ETag in If-None-Match (Apache: DeflateAlterETag NoChange)',
    see: rfc(9110, '13.1.2'),
  },
  conditionIgnored: {
    cause: 'a proxy removes If-None-Match from requests, so that every poll transfers the whole body',
    fix: 'let the proxy pass If-None-Match on',
    see: rfc(9110, '13.1.2'),
  },
  varyMissing: {
    cause: 'a proxy compresses answers without saying so in Vary: a cache would give the compressed form to everyone',
    fix: 'add Vary: Accept-Encoding (nginx: gzip_vary on)',
    see: rfc(9110, '12.5.5'),
  },
  encodedUnasked: {
    cause: 'a proxy compresses answers to clients that did not ask for it',
    fix: 'compress only by Accept-Encoding',
    see: rfc(9110, '12.5.3'),
  },
  cached: {
    cause: 'a cache between keeps private answers, and gives them to others or after they have changed',
    fix: 'turn the cache off for these paths; it must obey Cache-Control: private, no-cache',
    see: rfc(9111, '3.5'),
  },
  headHasBody: {
    cause: 'a proxy turns HEAD into GET, or sends a body with it: the next answer on the connection is misread',
    fix: 'let the proxy pass HEAD on as it is',
    see: rfc(9110, '9.3.2'),
  },
  pathRewritten: {
    cause: 'a proxy rewrites paths: it folds case, removes or adds slashes',
    fix: 'pass paths on as they are: no case folding, no trailing-slash rule, no merging of slashes for these paths',
    see: rfc(3986, '6.2.2'),
  },
  answeredInFront: {
    cause:
      'something in front of Vitrine answered this request itself, or replaced the whole answer: other answers have the header',
    fix: 'let it pass the request on; other failures of this report say what it does',
    see: GUIDE,
  },
  anotherServer: {
    cause: 'a proxy answers this path itself or sends it to another server',
    fix: 'send every path of the host to Vitrine',
    see: GUIDE,
  },
  typeChanged: {
    cause: 'a proxy changes the Content-Type, such as by adding a charset',
    fix: 'leave the Content-Type as it is (nginx: charset off)',
    see: rfc(8259, '11'),
  },
  bodyChanged: {
    cause: 'a proxy changes bodies, or another version answers',
    fix: 'turn off filters of bodies; contract.document notes the version',
    see: GUIDE,
  },
  chunksRefused: {
    cause: 'a proxy does not accept request bodies without a Content-Length (Transfer-Encoding: chunked)',
    fix: 'let the proxy accept chunked bodies, and buffer them if it must',
    see: rfc(9112, '7.1'),
  },
  continueRefused: {
    cause: 'a proxy does not understand Expect: 100-continue, which curl and others send with larger bodies',
    fix: 'let the proxy answer 100 Continue or pass Expect on',
    see: rfc(9110, '10.1.1'),
  },
  cookieAdded: {
    cause: 'a proxy adds cookies to answers of the API, such as for sticky sessions',
    fix: 'turn that off: every request stands alone, and any replica answers it',
    see: rfc(6265, '3'),
  },
  corsAdded: {
    cause: 'a proxy allows web pages to call the API: keys would be used in browsers',
    fix: 'remove the Access-Control headers: keys are for servers',
    see: 'docs/security.md',
  },
  wrongPublicUrl: {
    cause: 'PUBLIC_URL is not the URL that clients use, so links in answers lead elsewhere',
    fix: 'set PUBLIC_URL to the URL that was checked',
    see: 'docs/operating.md',
  },
  caseSensitive: {
    cause: 'a proxy knows header names or the scheme of Authorization in one case only',
    fix: 'compare them without regard to case',
    see: rfc(9110, '5.1'),
  },
  unknown: {
    cause: 'not known: the answer is not what the contract says',
    fix: "compare with a check of Vitrine's own address, without what stands before it; if that fails too, report it",
    see: GUIDE,
  },
} satisfies Record<string, Diagnosis>

export const headerRemoved = (name: string): Diagnosis => ({
  cause: `a proxy removes or renames the header ${name} of answers`,
  fix: `let the proxy pass ${name} on; a list of exposed headers must have it`,
  see: GUIDE,
})

export const headerChanged = (name: string): Diagnosis => ({
  cause: `a proxy changes the header ${name} of answers, or adds one of its own`,
  fix: `let the proxy leave ${name} as it is`,
  see: GUIDE,
})
