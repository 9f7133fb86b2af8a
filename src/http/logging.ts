import { type Logger, symbols } from 'pino'
import { redactTokens } from '../lib/redact.ts'

interface RequestEntry {
  requestId: string
  method: string
  path: string
  status: number | 'gone'
  keyId: string | undefined
  client: string
  /** On the clock of performance.now(). */
  startedAt: number
  traceparent: string | undefined
}

interface PinoInternals {
  [symbols.streamSym]: { write(line: string): void }
  [symbols.timeSym]: () => string
}

/** Writes pino's format directly, one batch per tick: `log.info` costs too much per request (decision 0018). */
export function requestLog(log: Logger): (entry: RequestEntry) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  const { [symbols.streamSym]: destination, [symbols.timeSym]: time } = log as unknown as PinoInternals
  let waiting: { at: string; fields: object }[] = []
  function write(): void {
    const lines = waiting
    waiting = []
    for (const { at, fields } of lines) destination.write(`{"level":30${at},${JSON.stringify(fields).slice(1)}\n`)
  }
  return ({ requestId, method, path, status, keyId, client, startedAt, traceparent }) => {
    const ms = Math.round((performance.now() - startedAt) * 1000) / 1000
    const fields = { requestId, method, path, status, keyId, client, ms, traceparent }
    if (waiting.push({ at: time(), fields }) === 1) setImmediate(write)
  }
}

/** Leaves out stack traces, paths, SQL and keys. `at` is the source file and line. */
export function describeFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code } = error as NodeJS.ErrnoException
  return {
    name: redactTokens(error.name),
    ...(code !== undefined && { code: redactTokens(String(code)) }),
    message: withoutInternals(error.message),
    at: /([\w.-]+\.ts:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1],
  }
}

const PATH = /(?<!\w)(?:[A-Za-z]:)?[\\/][^\s'",;:)]+/g
const STATEMENT = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b[^:]*/g

const withoutInternals = (message: string) =>
  redactTokens(message).replace(STATEMENT, '[statement]').replace(PATH, '[path]').slice(0, 500)

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
