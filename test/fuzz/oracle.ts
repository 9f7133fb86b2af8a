import type { Conform } from '../support/conform.ts'
import { publishedCodes } from '../support/problem-codes.ts'
import type { Conversation, Sent } from './requests.ts'
import type { ReceivedResponse, Transcript } from './send-conversation.ts'

/** What must hold for every response, whatever the request. */
export interface Oracle {
  conform: Conform
  /** Nowhere in a response. */
  secrets: readonly string[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Signs of a stack trace, a statement, a file or a driver. */
const INTERNALS = [
  /\bat [^\n]*(?:file:|node:|\/)[^\s"<>]*:\d+:\d+/,
  /node:internal|node_modules|\/src\/|\.ts\b/,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) /,
  /\bvitrine\.[a-z]|SQLITE_|sqlite_|pg_|invalid byte sequence|ECONN|ENOENT/,
]

/** The first violation in a conversation; undefined if there is none. */
export function findViolation(
  oracle: Oracle,
  { requests, resets }: Conversation,
  transcript: Transcript,
): string | undefined {
  if (resets) return undefined
  if (transcript.fault !== undefined) return transcript.fault
  const { responses, isAbandoned } = transcript
  for (const [i, response] of responses.entries()) {
    const violation = judge(oracle, requests[i], response, requests)
    if (violation !== undefined) return violation
    if (response.headers.connection === 'close' && i < responses.length - 1)
      return `an answer after "Connection: close"`
  }
  if (isAbandoned) return undefined
  if (responses.length === 0) return 'no answer'
  // A request refused by its head gets its response before its body breaks off, and nothing after that.
  if (requests.some(({ isMutated }) => isMutated)) return undefined
  return responses.at(-1)?.headers.connection === 'close' ? undefined : 'the connection ended before all was answered'
}

function judge(
  oracle: Oracle,
  sent: Sent | undefined,
  response: ReceivedResponse,
  requests: Sent[],
): string | undefined {
  const { status, headers } = response
  const mayBeAnything = requests.some(({ isMutated }) => isMutated)
  const isSettings = requests.some((request) => request.isSettings)
  if (status >= 500 && !(status === 503 && headers['retry-after'] !== undefined)) return `${status}: ${response.text}`
  if (!UUID.test(headers['x-request-id'] ?? '')) return `X-Request-Id: ${headers['x-request-id']}`
  if (response.repeated.some((name) => name !== 'set-cookie')) return `headers sent twice: ${response.repeated}`
  // Only an export of the settings is streamed, and then it has no length.
  const isExport = isSettings && status === 200 && headers['content-disposition']?.startsWith('attachment; ') === true
  const hasLength = headers['content-length'] !== undefined
  if (headers['transfer-encoding'] !== undefined && (!isExport || hasLength)) return 'a transfer coding and a length'
  const mayBeHead = mayBeAnything || sent?.method === 'HEAD'
  if (response.isHeadOnly && !mayBeHead) return 'no body, though the request was not HEAD'
  if (sent?.method === 'HEAD' && status < 400 && response.body.length > 0) return 'a body in answer to HEAD'
  if (!isSettings && 'set-cookie' in headers && !mayBeAnything) return 'a cookie outside the settings pages'
  const problem = isSettings || mayBeAnything ? judgePage(response) : judgeProblem(response, sent?.path)
  if (problem !== undefined) return problem
  const leak = findLeak(oracle, response)
  if (leak !== undefined) return `leaks ${leak}: ${response.text}`
  if (sent?.path !== undefined && !isSettings) {
    // The parser rejects requests before it has a path.
    try {
      oracle.conform(sent.method, sent.path, response)
    } catch (error) {
      return (error as Error).message
    }
  }
  return sent?.isRefused && status < 400 ? `a ${status} for a request that must be refused` : undefined
}

/** Pages for people may return HTML; everything else responds like the API. */
function judgePage(response: ReceivedResponse): string | undefined {
  const type = response.headers['content-type'] ?? ''
  if (response.status < 400 || !type.startsWith('text/html')) return judgeProblem(response, undefined)
  if (type !== 'text/html; charset=utf-8') return `content type ${type}`
  if (!response.headers['content-security-policy']?.startsWith("default-src 'none'")) return 'a page without protection'
  return response.headers['cache-control'] === 'no-store' ? undefined : 'a page that may be kept'
}

/** A whole problem: type, title, status, code, detail, hint, and an instance only on the MCP endpoint. */
function judgeProblem(response: ReceivedResponse, path: string | undefined): string | undefined {
  const { status, headers, json, text } = response
  if (status < 400) return judgeErrorWithin(response)
  if (headers['cache-control'] !== 'no-store') return 'a problem that may be kept'
  if (headers['content-type'] === 'application/json' && (path === undefined || path === '/v2/mcp'))
    return judgeRpcError(response, status)
  if (headers['content-type'] !== 'application/problem+json') return `an error as ${headers['content-type']}: ${text}`
  if (response.isHeadOnly) return undefined
  const { instance, ...problem } = (json ?? {}) as Record<string, unknown>
  const fault = judgeMembers(problem, status)
  if (fault !== undefined) return `${fault}: ${text}`
  const isMcp = path === '/mcp' || path === '/v1/mcp' || path === '/v2/mcp'
  if (instance !== undefined && (path !== undefined ? !isMcp : false))
    return `an instance outside the MCP endpoint: ${text}`
  if (instance !== undefined && instance !== `urn:uuid:${headers['x-request-id']}`) return `the instance is ${instance}`
  if (status === 401 && !headers['www-authenticate']?.startsWith('Bearer realm="vitrine"'))
    return 'a 401 without a challenge'
  if (status === 405 && headers.allow === undefined) return 'a 405 without Allow'
  const wait = headers['retry-after']
  if ((status === 429 || status === 503) && !(Number(wait) >= 1)) return `Retry-After: ${wait}`
  if (status !== 429 && status !== 503 && wait !== undefined) return `Retry-After with a ${status}`
  return undefined
}

/** Exactly the members of a problem, with the code and the text that belong to them. */
function judgeMembers(problem: Record<string, unknown>, status: number): string | undefined {
  const { type, title, detail, hint, code, status: inBody, ...rest } = problem
  if (Object.keys(rest).length > 0) return 'members that no problem has'
  if (publishedCodes[String(code)] !== status || inBody !== status) return `the code does not fit its status ${status}`
  if (type !== `/problems/${code}`) return `the type is ${type}`
  const isWhole = [title, detail, hint].every((words) => typeof words === 'string' && words.length >= 6)
  return isWhole ? undefined : 'not a whole problem'
}

/** A problem in MCP 2026-07-28: its members are in the error's data. */
function judgeRpcError({ json, text }: ReceivedResponse, status: number): string | undefined {
  const { jsonrpc, error } = (json ?? {}) as { jsonrpc?: unknown; error?: Record<string, unknown> }
  const { code, message, data } = error ?? {}
  if (jsonrpc !== '2.0' || !Number.isInteger(code) || typeof message !== 'string') return `no JSON-RPC error: ${text}`
  const { supported, requested, ...problem } = (data ?? {}) as Record<string, unknown>
  if ((code === -32022) !== (Array.isArray(supported) && typeof requested === 'string'))
    return `versions that are supported, where none or another was asked for: ${text}`
  const fault = judgeMembers(problem, status)
  return fault === undefined ? undefined : `${fault}: ${text}`
}

/** Inside a 200 the status is that of the code. Errors of the protocol of 2025-03-26 have no problem in them. */
function judgeErrorWithin(response: ReceivedResponse): string | undefined {
  const { status } = ((response.json as { error?: { data?: object } } | undefined)?.error?.data ?? {}) as {
    status?: number
  }
  return status === undefined ? undefined : judgeRpcError(response, status)
}

function findLeak({ secrets }: Oracle, { headers, text }: ReceivedResponse): string | undefined {
  const said = `${Object.values(headers).join('\n')}\n${text}`
  for (const secret of secrets) if (said.includes(secret)) return 'a secret'
  const contract = headers['content-type'] === 'application/json' && text.startsWith('{"openapi"')
  // Random tokens of forms spell anything now and then.
  const words = said.replaceAll(/[\w-]{43,}/g, '')
  return contract ? undefined : INTERNALS.find((pattern) => pattern.test(words))?.source
}
