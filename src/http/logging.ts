import { type Logger, symbols } from 'pino'
import type { EmbeddedError } from '../api/http-message.ts'
import type { RequestReport } from '../database/store.ts'
import { redactTokens } from '../lib/redact.ts'

type RequestLine = Pick<RequestReport, 'requestId' | 'status' | 'refusalReason' | 'caller' | 'ms'> &
  Record<'method' | 'path', string> &
  Record<'code' | 'keyId' | 'workspaceId' | 'rpcMethod' | 'toolName' | 'traceparent', string | undefined> & {
    /** Undefined unless the path is that of an operation. */
    route: object | undefined
    embedded: EmbeddedError | undefined
  }

interface PinoInternals {
  [symbols.streamSym]: { write(line: string): void }
  [symbols.timeSym]: () => string
}

/** Writes pino's format directly: `log.info` costs too much per request (decision 0018). */
export function requestLog(log: Logger): (request: RequestLine) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  const { [symbols.streamSym]: destination, [symbols.timeSym]: time } = log as unknown as PinoInternals
  return (request) => {
    const { requestId, method, path, status, keyId, workspaceId, ms, traceparent } = request
    // An operation's path is constant and cannot contain a key.
    const shown = request.route === undefined ? redactTokens(path) : path
    destination.write(
      `{"level":30${time()},"requestId":"${requestId}","method":"${method}"${member('path', shown)}` +
        `${member('status', status)}${member('keyId', keyId)}${member('workspaceId', workspaceId)}` +
        `,"client":"${request.caller.address ?? ''}","ms":${ms}${member('traceparent', traceparent)}${detailsOf(request)}}\n`,
    )
  }
}

/** One by one, because JSON.stringify of a whole object takes twice as long. */
const member = (name: string, value: string | number | boolean | undefined): string =>
  value === undefined ? '' : `,"${name}":${typeof value === 'string' ? JSON.stringify(value) : value}`

function detailsOf({ code, refusalReason, rpcMethod, toolName, embedded }: RequestLine): string {
  if (code === undefined && rpcMethod === undefined) return ''
  return (
    member('code', code) +
    member('refused', refusalReason) +
    member('mcpMethod', rpcMethod) +
    member('tool', toolName) +
    member('rpcError', embedded?.rpcCode) +
    member('isError', embedded?.isError)
  )
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
