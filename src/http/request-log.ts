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
 * Writes one line per request to the log's own destination, in the log's own form. It is put together by hand because
 * it is on every request's path: the logger would take several times as long.
 */
export function requestLog(log: Logger): (entry: RequestEntry) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  const { [symbols.streamSym]: destination, [symbols.timeSym]: time } = log as unknown as Inner
  return ({ requestId, method, path, status, keyId, client, startedAt }) => {
    const key = keyId === undefined ? '' : `,"keyId":"${keyId}"`
    destination.write(
      `{"level":30${time()},"requestId":"${requestId}","method":"${method}","path":${quoted(path)},` +
        `"status":${status === 'gone' ? '"gone"' : status}${key},"client":${quoted(client)},` +
        `"ms":${(performance.now() - startedAt).toFixed(3)}}\n`,
    )
  }
}

const PLAIN = /^[\w/.:-]*$/

const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
