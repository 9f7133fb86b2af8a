import { type Logger, symbols } from 'pino'

export interface RequestEntry {
  requestId: string
  method: string
  path: string
  status: number | 'gone'
  keyId: string | undefined
  client: string
  /** By performance.now(). */
  startedAt: number
}

/** What a pino logger keeps under its published symbols: where its lines go, and how they tell the time. */
interface Inner {
  [symbols.streamSym]: { write(line: string): void }
  [symbols.timeSym]: () => string
}

/**
 * Writes one line per request to the log's own destination, in the log's own form. Not by `log.info`, because it is on
 * every request's path: see docs/decisions/0018-each-mechanism-measured.md.
 */
export function requestLog(log: Logger): (entry: RequestEntry) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  const { [symbols.streamSym]: destination, [symbols.timeSym]: time } = log as unknown as Inner
  return ({ requestId, method, path, status, keyId, client, startedAt }) => {
    const ms = Math.round((performance.now() - startedAt) * 1000) / 1000
    const fields = JSON.stringify({ requestId, method, path, status, keyId, client, ms })
    destination.write(`{"level":30${time()},${fields.slice(1)}\n`)
  }
}
