import { setTimeout as wait } from 'node:timers/promises'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { redactTokens } from '../../lib/redact.ts'
import { linesOf } from './lines.ts'
import { type Message, parseLine } from './message.ts'
import type { HttpResponse, Post } from './post.ts'
import { type Outcome, outcomeOf, type RpcError } from './response.ts'

/** A client asks for a few things at once; more wait in its pipe. */
export const MAX_IN_FLIGHT = 16

/** Longer than that a client would rather know than wait. */
const MAX_WAIT_SECONDS = 20

/** Clients keep what a program writes to stderr, and some show it. */
const MAX_WARNINGS = 100

interface BridgeOutput {
  /** One line of the protocol. Resolves when the next may be written. */
  write(line: string): Promise<void>
  /** For people, once for each thing that went wrong. */
  warn(message: string): void
}

/**
 * Passes the messages of a client, one on each line, to the server, and the responses back as they come. Resolves when the
 * client has ended its input and has all of its responses, with whether the server took the key.
 */
export async function bridge(
  input: AsyncIterable<Buffer>,
  post: Post,
  { write, warn }: BridgeOutput,
): Promise<{ isKeyRefused: boolean }> {
  const inFlight = new Set<Promise<void>>()
  const warned = new Set<string>()
  let isKeyRefused = false

  const warnOnce = (message: string) => {
    if (warned.has(message) || warned.size >= MAX_WARNINGS) return
    warned.add(message)
    warn(message)
  }

  async function pass(message: Message): Promise<void> {
    const outcome = await ask(post, message)
    if ('error' in outcome) {
      if (outcome.isKeyRefused) isKeyRefused = true
      warnOnce(outcome.isKeyRefused ? `the server refused the key: ${outcome.error.message}` : outcome.error.message)
    }
    if (message.idJson === undefined) return
    if ('line' in outcome) await write(outcome.line)
    else if ('error' in outcome) await write(errorLine(message.idJson, outcome.error))
    else await write(errorLine(message.idJson, NO_RESULT))
  }

  for await (const line of linesOf(input)) {
    const message = line === undefined ? { fault: TOO_LONG } : parseLine(line)
    if (message === undefined) continue
    if ('fault' in message) {
      await write(errorLine('null', message.fault))
      continue
    }
    const passing: Promise<void> = pass(message).finally(() => inFlight.delete(passing))
    inFlight.add(passing)
    if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight)
  }
  await Promise.all(inFlight)
  return { isKeyRefused }
}

const TOO_LONG: RpcError = { code: -32600, message: 'The line is over 1 MiB, and was not sent.' }
const NO_RESULT: RpcError = {
  code: -32000,
  message: 'The server took the request for a notification, and gave no result.',
}

const errorLine = (idJson: string, error: RpcError): string =>
  `{"jsonrpc":"2.0","id":${idJson},"error":${JSON.stringify({ ...error, message: redactTokens(error.message) })}}`

async function ask(post: Post, { text, headers, id }: Message): Promise<Outcome> {
  try {
    let response = await post(text, headers)
    const seconds = secondsToWait(response)
    if (seconds !== undefined) {
      await wait(seconds * 1000)
      response = await post(text, headers)
    }
    return outcomeOf(response, id)
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    return { error: { code: -32000, message: `The server could not be asked: ${error.message}` } }
  }
}

/** Of a key whose quota is used up: a short wait is better than an error that a model has to understand. */
function secondsToWait({ status, headers }: HttpResponse): number | undefined {
  const seconds = Number(headers['retry-after'])
  return status === 429 && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WAIT_SECONDS
    ? seconds
    : undefined
}
