import type { Logger } from '../lib/logger.ts'
import { redactTokens } from '../lib/redact.ts'
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
    code: loggedCode,
    refused: refusalReason,
    mcpMethod: rpcMethod,
    tool: toolName,
    rpcError: embedded?.rpcCode,
    isError: embedded?.isError,
  })
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
