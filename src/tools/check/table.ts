import { type CheckClient, type Checks, type Step, sendExpecting } from './client.ts'
import type { Contract } from './contract.ts'
import { diagnoses } from './diagnosis.ts'
import * as examine from './examine.ts'
import type { Expected } from './expect.ts'
import { headerChecks } from './headers.ts'
import {
  accepted,
  MODERN,
  modern,
  modernError,
  modernResult,
  OLD,
  old,
  oldError,
  oldResult,
  post,
  problem,
} from './messages.ts'

export async function runSteps(steps: readonly Step[], client: CheckClient): Promise<void> {
  for (const [what, ...args] of steps)
    if (typeof what === 'function') await what(client, ...(args as string[]))
    else await sendExpecting(client, what, args[0] as Expected)
}

/** Every promise that shows at the wire, in the order in which they are checked. */
export function tableOf(contract: Contract): Checks {
  const resources = contract.pathsWith('GET')
  const endpoints = contract.pathsWith('POST')
  const [resource = '/'] = resources
  const [endpoint = '/'] = endpoints
  const newest = endpoints.at(-1) ?? '/'
  return {
    'reach.key': [[examine.keyIsAccepted, resource]],
    'contract.document': [[examine.documentIsServed]],
    ...Object.assign({}, ...[...resources, ...contract.declared].map(restChecks)),
    ...Object.assign({}, ...endpoints.map(mcpChecks)),
    ...oldProtocolChecks(endpoint),
    ...newProtocolChecks(newest),
    ...pathChecks(resources.at(-1) ?? '/', newest),
    ...transportChecks(resource, endpoint),
    ...headerChecks(resource, endpoint),
  }
}

const within = (group: string, table: Checks): Checks =>
  Object.fromEntries(Object.entries(table).map(([name, steps]) => [`${group}.${name}`, steps]))

const CHALLENGE = 'Bearer realm="vitrine"'
const unauthorized = (challenge: string | RegExp): Expected => ({
  ...problem(401, 'unauthorized', { 'WWW-Authenticate': challenge }),
  meaning: { 200: diagnoses.cached },
})
/** Not in the form of a key: the deployment records refused keys. */
const BAD_KEY = { Authorization: 'Bearer not-a-key' }

function restChecks(path: string): Checks {
  const headers = { Allow: 'GET, HEAD' }
  const allowed = { status: 204, headers, hasNoBody: true, meaning: { 200: diagnoses.methodFiltered } }
  const refused = problem(405, 'method_not_allowed', headers)
  return within(`rest.${path.slice(1)}`, {
    get: [[examine.resourceIsRead, path]],
    head: [[examine.headIsServed, path]],
    etag: [[examine.etagMatches, path]],
    'compressed-etag': [[examine.compressedEtagMatches, path]],
    options: [[{ method: 'OPTIONS', path }, allowed]],
    method: ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [{ method, path, body: '{}' }, refused]),
    unauthorized: [
      [{ method: 'GET', path }, unauthorized(CHALLENGE)],
      [{ method: 'GET', path, headers: BAD_KEY }, unauthorized(`${CHALLENGE}, error="invalid_token"`)],
    ],
  })
}

/** Of every MCP path. */
function mcpChecks(path: string): Checks {
  const refused = problem(405, 'method_not_allowed', { Allow: 'POST' })
  // The check of the OAuth metadata examines the rest.
  const challenge = /^Bearer realm="vitrine"(, resource_metadata="[^"]+", scope="[^"]+")?$/
  const clientInfo = { name: 'vitrine-check', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const newer = { 'MCP-Protocol-Version': '2025-11-25' }
  const initialized = oldResult({ protocolVersion: OLD, capabilities: { tools: {} }, serverInfo: {} })
  return within(`mcp.${path.slice(1).replaceAll('/', '-')}`, {
    initialize: [
      [old(path, 'initialize', params), initialized],
      [old(path, 'initialize', params, newer), initialized],
    ],
    notification: [[old(path, 'notifications/initialized'), accepted(OLD)]],
    tools: [[examine.toolsAreCalled, path]],
    method: ['GET', 'OPTIONS', 'PUT', 'DELETE'].map((method) => [{ method, path }, refused]),
    unauthorized: [[{ ...old(path, 'ping'), withKey: false }, unauthorized(challenge)]],
  })
}

/** As texts of JSON: falsy ones, and those that change if JSON is parsed and serialised again. */
const IDS = ['0', '9007199254740993', '-7', '1.5', 'null', '""', '"a \\"quoted\\" id"']

const NOT_JSON = ['{"jsonrpc"', '', "{'jsonrpc':'2.0','id':1,'method':'ping'}"]
const NOT_A_REQUEST = [
  '[]',
  '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","meta":{}}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":1}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
]
const OTHER_VERSIONS = ['2020-01-01', '2025-11-25', MODERN, 'latest']

/** The same code serves every path, so one is enough. */
function oldProtocolChecks(path: string): Checks {
  const unsupported = {
    ...problem(400, 'unsupported_protocol_version'),
    meaning: { 200: diagnoses.versionHeaderRemoved },
  }
  return within('mcp', {
    ping: [[old(path, 'ping', { _meta: { progressToken: 1 } }), oldResult()]],
    ids: IDS.map((id) => [examine.idIsReturned, path, id]),
    agreement: [[examine.toolsMatchRest, path]],
    errors: [
      [old(path, 'vitrine/no-such-method'), oldError(-32601)],
      [old(path, 'tools/call', { name: 'no_such_tool' }), oldError(-32602)],
      [old(path, 'tools/list', { cursor: 'x' }), oldError(-32602)],
    ],
    'bad-request': [
      ...NOT_JSON.map((body) => [post(path, body), problem(400, 'invalid_json')] as const),
      ...NOT_A_REQUEST.map((body) => [post(path, body), problem(400, 'invalid_jsonrpc_request')] as const),
      [post(path, 'x', { 'Content-Type': 'text/plain' }), problem(400, 'unsupported_media_type')],
    ],
    'version-header': OTHER_VERSIONS.map((version) => [
      old(path, 'ping', undefined, { 'MCP-Protocol-Version': version }),
      unsupported,
    ]),
  })
}

function newProtocolChecks(path: string): Checks {
  const supported = [MODERN, OLD]
  const discovered = { supportedVersions: supported, capabilities: { tools: {} }, cacheScope: 'private' }
  const header = { 'MCP-Protocol-Version': MODERN }
  const mismatch = modernError(400, -32020, 'header_mismatch')
  const invalid = modernError(200, -32602, 'invalid_params', { status: 400 })
  const unknownTool = modernError(200, -32602, 'tool_not_found', { status: 404 })
  const unsupported = { supported, requested: '2027-01-01' }
  return within('mcp-2026', {
    discover: [[modern(path, 'server/discover'), modernResult(discovered)]],
    tools: [[examine.modernToolsAreCalled, path]],
    headers: [
      [modern(path, 'tools/list', {}, { 'Mcp-Method': 'tools/call' }), mismatch],
      [modern(path, 'tools/list', {}, { 'MCP-Protocol-Version': OLD }), mismatch],
      [modern(path, 'tools/call', { name: 'a' }, { 'Mcp-Name': 'b' }), mismatch],
    ],
    errors: [
      [post(path, '{', header), modernError(400, -32700, 'invalid_json')],
      [
        post(path, '{"jsonrpc":"2.0","id":null,"method":"x"}', header),
        modernError(400, -32600, 'invalid_jsonrpc_request'),
      ],
      [
        post(path, '{"jsonrpc":"2.0","id":1,"method":"x"}', header),
        modernError(400, -32602, 'invalid_request_metadata'),
      ],
      [
        modern(path, 'x', {}, {}, unsupported.requested),
        modernError(400, -32022, 'unsupported_protocol_version', unsupported),
      ],
      ...['vitrine/no-such-method', 'initialize', 'ping', 'logging/setLevel'].map(
        (method) => [modern(path, method), modernError(404, -32601, 'method_not_found')] as const,
      ),
      [modern(path, 'tools/call', { name: 5 }), invalid],
      [modern(path, 'tools/list', { cursor: 'x' }), invalid],
      [modern(path, 'tools/call', { name: 'no_such_tool' }), unknownTool],
    ],
    notification: [[modern(path, 'notifications/cancelled'), accepted(MODERN)]],
  })
}

function pathChecks(path: string, mcpPath: string): Checks {
  // Without a key: a 401 from Vitrine shows that the path was treated as another one.
  const notFound = { ...problem(404, 'not_found'), meaning: { 401: diagnoses.pathRewritten } }
  const unknown = (other: string) => [[{ method: 'GET', path: other }, notFound]] as const
  const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
  return within('paths', {
    unknown: unknown('/vitrine-check/no-such-path'),
    case: unknown(path.toUpperCase()),
    'trailing-slash': unknown(`${path}/`),
    slashes: unknown(`/${path}`),
    encoded: [[{ method: 'GET', path: encoded }, unauthorized(CHALLENGE)]],
    'problem-pages': [[examine.problemIsExplained, path]],
    oauth: [[examine.oauthIsAsAnnounced, mcpPath]],
  })
}

const MIB = 1024 * 1024
/** Space for the rest of the request in a body of 1 MiB. */
const ENVELOPE_BYTES = 1024
/** Tracing headers may be 8 KiB long (W3C Baggage); proxies allow about that for one header by default. */
const HEADER_BYTES = 6 * 1024

function transportChecks(path: string, mcpPath: string): Checks {
  const ping = old(mcpPath, 'ping')
  const padded = (bytes: number) => old(mcpPath, 'ping', { _meta: { padding: 'x'.repeat(bytes) } })
  const long = { 'X-Vitrine-Check': 'x'.repeat(HEADER_BYTES) }
  const { headerLimit, chunksRefused, continueRefused } = diagnoses
  return within('transport', {
    'large-body': [[padded(MIB - ENVELOPE_BYTES), oldResult()]],
    'too-large-body': [[padded(MIB), problem(400, 'payload_too_large')]],
    'chunked-body': [
      [
        { ...ping, isChunked: true },
        { ...oldResult(), meaning: { 400: chunksRefused } },
      ],
    ],
    'expect-continue': [
      [
        { ...ping, headers: { Expect: '100-continue' } },
        { ...oldResult(), meaning: { 400: continueRefused } },
      ],
    ],
    'large-headers': [
      [
        { method: 'GET', path, headers: long },
        { ...unauthorized(CHALLENGE), meaning: { 400: headerLimit } },
      ],
    ],
    'header-case': [[examine.caseIsIgnored, path]],
    steady: [[examine.nothingFailedOnce]],
  })
}
