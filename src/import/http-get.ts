import type { IncomingMessage } from 'node:http'
import { explainedFailure, FetchError } from './fetch-failures.ts'
import type { FetchLimits } from './fetch-limits.ts'

/** One request; resolves with the head of its response, whatever its status. */
export async function httpGet(
  url: URL,
  headers: Record<string, string>,
  { connectMs, responseMs }: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // A connection of its own: one kept from the last time could be closed by the server at any moment.
  const sent = request(url, { headers: { ...headers, connection: 'close' }, signal })
  const within = (ms: number, what: string) =>
    setTimeout(() => sent.destroy(new FetchError(url, `${what} within ${ms / 1000} seconds; check the server`)), ms)
  let timer = within(connectMs, 'no connection')
  // The request is out, so the connection is open and, if it is encrypted, trusted.
  sent.once('finish', () => {
    clearTimeout(timer)
    timer = within(responseMs, 'no answer')
  })
  sent.once('response', resolve)
  sent.once('error', reject)
  sent.end()
  try {
    return await promise
  } catch (error) {
    throw signal.aborted ? signal.reason : explainedFailure(url, error)
  } finally {
    clearTimeout(timer)
    // It may fail again, later, when nobody waits for the head any more; the body's reader is told of it too.
    sent.on('error', () => {})
  }
}
