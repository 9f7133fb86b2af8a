import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '../../version.ts'
import type { Contract } from './contract.ts'
import { isGatewayFailure } from './diagnosis.ts'
import { type Expected, expectResponse, Skip } from './expect.ts'
import { type CheckedResponse, createSender, type Request, type Target } from './http.ts'

/** This share of the key's quota is left for its other users. */
const OTHERS_SHARE = 1 / 4
/** In total. If the key's quota requires a longer wait, the remaining checks are skipped. */
const MAX_WAITING_MS = 5 * 60_000
/** Used for a 429 without Retry-After. */
const USUAL_RETRY_SECONDS = 10
/** More 429s for one request mean that other clients use up the quota. */
const MAX_REFUSALS = 2
const MAX_FAILURES_IN_A_ROW = 3

const usualHeaders = { 'User-Agent': `vitrine-check/${version}`, 'Accept-Encoding': 'identity' }

export interface CheckClientOptions {
  target: Target
  key: string
  onWait?: (seconds: number, reason: string) => void
  /** For tests. */
  wait?: (ms: number) => Promise<unknown>
}

interface State {
  requests: number
  requestsWithKey: number
  /** Set by the check of the key; then nothing that needs the key can be checked. */
  keyError?: string
  /** For the report on the current check. */
  note?: string
}

export type CheckClient = ReturnType<typeof createCheckClient>

/** Sends one request at a time, within the key's quota. */
export function createCheckClient(options: CheckClientOptions, contract: Contract) {
  const { target, key, onWait = () => {}, wait = sleep } = options
  const sender = createSender(target)
  /** Without bodies, which may be large. */
  const seen: CheckedResponse[] = []
  const responses = new Map<string, Promise<CheckedResponse>>()
  let pause: ReturnType<typeof pauseAfter>
  let waitedMs = 0
  let failuresInARow = 0
  const state: State = { requests: 0, requestsWithKey: 0 }
  /** Proxy failures that did not occur again when the request was repeated. */
  const passingFailures: CheckedResponse[] = []

  async function send(request: Request): Promise<CheckedResponse> {
    for (let refusals = 0; ; refusals++) {
      const response = note(await attempt(request))
      if (!request.withKey || (response.status === 429 && refusals === MAX_REFUSALS)) return response
      pause = pauseAfter(response)
      if (response.status !== 429) return response
    }
  }

  /** Repeats a request once if it failed in a proxy, so that a passing failure fails a single check. */
  async function attempt(request: Request, mayRepeat = true): Promise<CheckedResponse> {
    if (request.withKey) await beforeRequestWithKey()
    if (failuresInARow === MAX_FAILURES_IN_A_ROW) throw new Skip('the server no longer responds')
    failuresInARow++
    const response = await sender.send(request, headersOf(request, key))
    failuresInARow = 0
    state.requests++
    if (!mayRepeat || !isGatewayFailure(response)) return response
    const repeated = await attempt(request, false)
    if (!isGatewayFailure(repeated)) passingFailures.push(response)
    return repeated
  }

  async function beforeRequestWithKey(): Promise<void> {
    if (state.keyError !== undefined) throw new Skip(state.keyError)
    if (pause !== undefined) {
      const { seconds, reason } = pause
      if (waitedMs + seconds * 1000 > MAX_WAITING_MS)
        throw new Skip(
          `${reason}; waiting for more would take more than ${MAX_WAITING_MS / 60_000} minutes: use a key with a larger quota`,
        )
      onWait(seconds, reason)
      waitedMs += seconds * 1000
      await wait(seconds * 1000)
      pause = undefined
    }
    state.requestsWithKey++
  }

  function note(response: CheckedResponse): CheckedResponse {
    const id = response.headers['x-request-id']
    const isRepeated = id !== undefined && seen.some((earlier) => earlier.headers['x-request-id'] === id)
    const { bodyError: _, ...head } = response
    seen.push({ ...head, body: Buffer.alloc(0), text: '', json: undefined })
    return { ...response, isRepeated }
  }

  /** Several checks examine the same response. */
  async function sendOnce(request: Request): Promise<CheckedResponse> {
    if (request.withKey && state.keyError !== undefined) throw new Skip(state.keyError)
    const name = JSON.stringify(request)
    const response = responses.get(name) ?? send(request)
    responses.set(name, response)
    return response
  }

  const read = (path: string): Promise<CheckedResponse> => sendOnce({ method: 'GET', path, withKey: true })

  /** Skips the check unless the response is 200 with JSON. */
  async function readable(path: string): Promise<CheckedResponse> {
    const response = await read(path)
    if (response.status !== 200) throw new Skip(`this key gets ${response.status} for ${path}`)
    if (response.json === undefined) throw new Skip(`the body of GET ${path} is incomplete, or not JSON`)
    return response
  }

  const facts = { target, contract, seen, passingFailures, state }
  return { ...facts, send, sendOnce, read, readable, [Symbol.dispose]: sender.close }
}

export async function sendExpecting(client: CheckClient, request: Request, expected: Expected) {
  const response = await client.send(request)
  expectResponse(client.contract, response, expected)
  return response
}

function headersOf({ headers, withKey, body, isChunked }: Request, key: string): Record<string, string> {
  return {
    ...usualHeaders,
    ...(withKey === true && { Authorization: `Bearer ${key}` }),
    ...(withKey === 'in other case' && { AUTHORIZATION: `bearer ${key}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(body !== undefined && !isChunked && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
}

/** Pauses after a 429, or when only the reserved share of the quota is left. */
function pauseAfter({ status, headers }: CheckedResponse): { seconds: number; reason: string } | undefined {
  const numberIn = (name: string) => Number.parseInt(headers[name] ?? '', 10)
  if (status === 429)
    return {
      seconds: Math.max(1, numberIn('retry-after') || USUAL_RETRY_SECONDS),
      reason: 'the server responded with 429',
    }
  const [remaining, limit] = [numberIn('ratelimit-remaining'), numberIn('ratelimit-limit')]
  const resetSeconds = Math.max(1, numberIn('ratelimit-reset'))
  if (!(remaining <= limit * OTHERS_SHARE) || Number.isNaN(resetSeconds)) return undefined
  return { seconds: resetSeconds, reason: `the key has ${remaining} of ${limit} requests left in this window` }
}

/** A request and what it must get; or a function, with its arguments, that throws a Deviation or a Skip. */
export type Step = readonly [Request, Expected] | readonly [Examine, ...string[]]
export type Examine = (client: CheckClient, ...args: string[]) => Promise<void>

/** By ids, which identify the checks when reports are compared. The part before the first point is the group. */
export type Checks = Record<string, readonly Step[]>
