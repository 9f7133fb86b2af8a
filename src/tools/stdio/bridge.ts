/**
 * src/tools/stdio is `vitrine stdio`: it connects an MCP client that can only start local programs with a server. This file reads
 * requests from stdin, line by line, and writes the responses to stdout; server.ts sends them over HTTP and explains failures.
 *
 * Invariants: every request gets one response with its own id, unless it was cancelled. The bytes of ids are not changed. A proxy's
 * text, a redirect and the key never reach the client. Connections and warnings are bounded.
 *
 * Risks: clients wait for a minute, so the server must give up earlier. A client that closes its input still expects the responses
 * to its last requests; one that closes its output ends the program.
 */
import { linesOf } from '../../lib/chunks.ts'
import { redactTokens } from '../../lib/redact.ts'
import { type ClientMessage, connectServer, parseLine, type RpcErrorObject } from './server.ts'

/** Further requests wait for one of these. */
const MAX_CONNECTIONS = 16
/** Clients store the stderr of a program, and some show it. */
const MAX_WARNINGS = 100
/** The server would refuse longer messages. */
const MAX_LINE_BYTES = 1024 * 1024

interface BridgeOptions {
  input: AsyncIterable<Buffer>
  url: URL
  key: string
  write(line: string): Promise<void>
  warn(message: string): void
}

/** Resolves when the client has closed its input and received all responses, except to requests that it cancelled. */
export async function bridge({ input, url, key, write, warn }: BridgeOptions) {
  const server = connectServer(url, key, MAX_CONNECTIONS)
  const inFlight = new Set<Promise<void>>()
  const stops = new Map<unknown, AbortController>()
  const warned = new Set<string>()
  let isKeyRefused = false

  const warnOnce = (message: string) => {
    if (warned.has(message) || warned.size >= MAX_WARNINGS) return
    warned.add(message)
    warn(message)
  }

  async function pass(message: ClientMessage): Promise<void> {
    const stop = new AbortController()
    if (message.idJson !== undefined) stops.set(message.id, stop)
    const { line, error, isKeyRefused: isRefused = false } = await server.request(message, stop.signal)
    if (stops.get(message.id) === stop) stops.delete(message.id)
    if (stop.signal.aborted) return
    isKeyRefused ||= isRefused
    if (error !== undefined) warnOnce(`${isRefused ? 'the server refused the key: ' : ''}${error.message}`)
    if (message.idJson !== undefined) await write(line ?? errorLine(message.idJson, error ?? NO_RESULT))
  }

  async function onLine(line: Buffer | undefined): Promise<void> {
    const message = line === undefined ? { error: TOO_LONG } : parseLine(line.toString())
    if (message === undefined) return
    if ('error' in message) return write(errorLine('null', message.error))
    // In both protocol versions over HTTP, closing the connection is enough, and a notification would count against the quota.
    if ('cancels' in message) return stops.get(message.cancels)?.abort()
    const passing: Promise<void> = pass(message).finally(() => inFlight.delete(passing))
    inFlight.add(passing)
  }

  for await (const lines of linesOf(input, MAX_LINE_BYTES)) for (const line of lines) await onLine(line)
  while (inFlight.size > 0) await Promise.race(inFlight)
  server.close()
  return { isKeyRefused }
}

const TOO_LONG: RpcErrorObject = { code: -32600, message: 'The line is longer than 1 MiB and was not sent.' }
const NO_RESULT: RpcErrorObject = {
  code: -32000,
  message: 'The server treated the request as a notification and returned no result.',
}

const errorLine = (idJson: string, error: RpcErrorObject): string =>
  `{"jsonrpc":"2.0","id":${idJson},"error":${JSON.stringify({ ...error, message: redactTokens(error.message) })}}`
