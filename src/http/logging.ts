import type { Logger } from '../lib/logger.ts'
import { redactTokens } from '../lib/redact.ts'
import type { HttpRequest } from './request.ts'
import type { RequestRecord } from './request-record.ts'

export function logRequest(log: Logger, record: RequestRecord): void {
  const { request, route, status, keyId, workspaceId, ms, loggedCode, refusalReason } = record
  const { requestId, method, path, caller, rpcMethod, toolName, embedded } = request
  log.write('info', {
    requestId,
    method,
    // An operation's path is constant and cannot contain a key.
    path: route.operation === undefined ? redactTokens(path) : path,
    status,
    keyId,
    workspaceId,
    client: caller.address ?? '',
    ms,
    traceparent: traceparentOf(request),
    code: loggedCode,
    refused: refusalReason,
    mcpMethod: rpcMethod,
    tool: toolName,
    rpcError: embedded?.rpcCode,
    isError: embedded?.isError,
  })
}

/** From the header, or else from the body. */
const traceparentOf = (request: HttpRequest): string | undefined =>
  parseTraceparent(request.header('traceparent')) ?? parseTraceparent(request.traceparentInBody)

/** W3C Trace Context, 3.2.2. All-zero ids and version ff are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?![^-])/
const TRACEPARENT_LENGTH = 55

/** Returns the part that every version has. Later versions may append anything, so the rest is dropped. */
export function parseTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !TRACEPARENT.test(text)) return undefined
  if (text.startsWith('00') && text.length > TRACEPARENT_LENGTH) return undefined
  return text.slice(0, TRACEPARENT_LENGTH)
}

const REPEAT_EVERY_MS = 10_000

/** Logs the first time immediately, then at most every ten seconds, with a count. */
export function throttled(warn: (times: number) => void): () => void {
  let times = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    if (times === 0) return
    warn(times)
    times = 0
    timer = setTimeout(flush, REPEAT_EVERY_MS).unref()
  }
  return () => {
    times++
    if (timer === undefined) flush()
  }
}
