import { version } from '../../version.ts'
import type { Contract } from './contract.ts'
import { createExchange, type Exchange, type Target } from './exchange.ts'
import { Skip } from './expect.ts'
import type { HttpResponse, Request } from './response.ts'

/** Of the key's quota, this share is left to others who use the key. */
const OTHERS_SHARE = 1 / 4
/** In all. A key whose quota would take longer is checked as far as it goes. */
const MAX_WAITING_MS = 5 * 60_000
/** Where a 429 does not name the seconds. */
const USUAL_RETRY_SECONDS = 10
/** After so many refusals of one request, others use the key more than there is quota for. */
const MAX_REFUSALS = 2
/** After so many failures of the connection in a row, nothing more is sent. */
const MAX_FAILURES_IN_A_ROW = 3

/** What is sent with each request, unless it says otherwise. */
const usualHeaders = { 'User-Agent': `vitrine-check/${version}`, 'Accept-Encoding': 'identity' }
/** In the value of a header, stands for the key: checks do not know it. */
export const KEY_MARK = '{key}'

interface ClientOptions {
  target: Target
  contract: Contract
  key: string
  /** Whether a request may look as if it came from a web page: the deployment records that with the key. */
  sendsOrigin?: boolean | undefined
  onWait: (seconds: number, reason: string) => void
  wait: (ms: number) => Promise<unknown>
}

/** Sends one request after the other to the deployment, within the quota of the key. */
export class Client {
  readonly target: Target
  readonly contract: Contract
  readonly sendsOrigin: boolean
  /** Every response without its body, which may be large. */
  readonly seen: HttpResponse[] = []
  /** Set by the check of the key: without one, nothing that needs it can be checked. */
  keyFault: string | undefined
  requestsWithKey = 0
  readonly close: () => void
  readonly #options: ClientOptions
  readonly #exchange: Exchange
  readonly #remembered = new Map<string, Promise<HttpResponse>>()
  /** Before the next request with the key. */
  #pause: { seconds: number; reason: string } | undefined
  #waitedMs = 0
  #failuresInARow = 0

  constructor(options: ClientOptions) {
    this.target = options.target
    this.contract = options.contract
    this.sendsOrigin = options.sendsOrigin ?? false
    this.#options = options
    const { exchange, close } = createExchange(options.target)
    this.#exchange = exchange
    this.close = close
  }

  /** Over HTTP/1.1, or through another exchange. */
  async send(request: Request, exchange: Exchange = this.#exchange): Promise<HttpResponse> {
    for (let refusals = 0; ; refusals++) {
      if (request.withKey) await this.#beforeRequestWithKey()
      if (this.#failuresInARow === MAX_FAILURES_IN_A_ROW) throw new Skip('the server does not answer any more')
      this.#failuresInARow++
      const response = this.#note(await exchange(request, this.#headersOf(request)))
      this.#failuresInARow = 0
      if (!request.withKey || (response.status === 429 && refusals === MAX_REFUSALS)) return response
      this.#pause = pauseAfter(response)
      if (response.status !== 429) return response
    }
  }

  /** Sends a request only once: several checks look at one response. */
  async remembered(request: Request): Promise<HttpResponse> {
    if (request.withKey && this.keyFault !== undefined) throw new Skip(this.keyFault)
    const name = JSON.stringify(request)
    const response = this.#remembered.get(name) ?? this.send(request)
    this.#remembered.set(name, response)
    return response
  }

  /** GET with the key, remembered. */
  read(path: string): Promise<HttpResponse> {
    return this.remembered({ method: 'GET', path, withKey: true })
  }

  /** The same, where only a response of 200 is of use. */
  async readable(path: string): Promise<HttpResponse> {
    const response = await this.read(path)
    if (response.status === 403) throw new Skip(`the key may not read ${path}`)
    if (response.status === 404) throw new Skip(`${path} is not there for this key`)
    if (response.status !== 200) throw new Skip(`${path} was answered with ${response.status}`)
    return response
  }

  async #beforeRequestWithKey(): Promise<void> {
    if (this.keyFault !== undefined) throw new Skip(this.keyFault)
    if (this.#pause !== undefined) {
      const { seconds, reason } = this.#pause
      if (this.#waitedMs + seconds * 1000 > MAX_WAITING_MS)
        throw new Skip(
          `${reason}; waiting for more would take over ${MAX_WAITING_MS / 60_000} minutes: use a key with a larger quota`,
        )
      this.#options.onWait(seconds, reason)
      this.#waitedMs += seconds * 1000
      await this.#options.wait(seconds * 1000)
      this.#pause = undefined
    }
    this.requestsWithKey++
  }

  #headersOf({ headers = {}, withKey = false, body, bodyMode }: Request): Record<string, string> {
    const { key } = this.#options
    const namesKey = Object.values(headers).some((value) => value.includes(KEY_MARK))
    return {
      ...usualHeaders,
      ...(withKey && !namesKey && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(body !== undefined && bodyMode !== 'chunked' && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...(bodyMode === 'continue' && { Expect: '100-continue' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(KEY_MARK, key)])),
    }
  }

  #note(response: HttpResponse): HttpResponse {
    const id = response.headers['x-request-id']
    const isRepeated = id !== undefined && this.seen.some((earlier) => earlier.headers['x-request-id'] === id)
    this.seen.push({ ...response, body: Buffer.alloc(0), text: '', json: undefined })
    return { ...response, isRepeated }
  }
}

/** After a 429, or where only the others' share of the key's quota is left. */
function pauseAfter({ status, headers }: HttpResponse): { seconds: number; reason: string } | undefined {
  const numberIn = (name: string) => Number.parseInt(headers[name] ?? '', 10)
  if (status === 429)
    return { seconds: Math.max(1, numberIn('retry-after') || USUAL_RETRY_SECONDS), reason: 'the server answered 429' }
  const [remaining, limit] = [numberIn('ratelimit-remaining'), numberIn('ratelimit-limit')]
  const resetSeconds = Math.max(1, numberIn('ratelimit-reset'))
  if (!(remaining <= limit * OTHERS_SHARE) || Number.isNaN(resetSeconds)) return undefined
  return { seconds: resetSeconds, reason: `the key has ${remaining} of ${limit} requests left in this window` }
}
