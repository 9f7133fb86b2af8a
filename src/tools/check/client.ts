import { version } from '../../version.ts'
import type { Contract } from './contract.ts'
import type { Exchange } from './exchange.ts'
import { Skip } from './outcome.ts'
import type { Pace } from './pace.ts'
import type { HttpResponse, Request } from './response.ts'
import type { Target } from './target.ts'

/** What every response is judged by at the end: all but its body, which may be large. */
export type SeenResponse = Pick<HttpResponse, 'request' | 'status' | 'headers' | 'rawHeaders' | 'httpVersion'>

/** After so many refusals of one request, others use the key more than there is quota for. */
const MAX_REFUSALS = 2

/** What is sent with each request, unless it says otherwise. */
const usualHeaders = { 'User-Agent': `vitrine-check/${version}`, 'Accept-Encoding': 'identity' }

interface ClientOptions {
  target: Target
  contract: Contract
  key: string
  exchange: Exchange
  pace: Pace
  sendsOrigin?: boolean | undefined
}

/** Asks the deployment, one request after the other and within the quota of the key. */
export class Client {
  readonly target: Target
  readonly contract: Contract
  readonly seen: SeenResponse[] = []
  /** Those of `remembered`, by their requests. */
  private readonly memory = new Map<string, Promise<HttpResponse>>()
  private readonly key: string
  private readonly exchange: Exchange
  private readonly pace: Pace
  /** Set by the check of the key: without one, nothing that needs it can be checked. */
  keyFault: string | undefined
  requestsWithKey = 0

  /** Whether a request may look as if it came from a web page: the deployment records that with the key. */
  readonly sendsOrigin: boolean

  constructor(options: ClientOptions) {
    this.sendsOrigin = options.sendsOrigin ?? false
    this.target = options.target
    this.contract = options.contract
    this.key = options.key
    this.exchange = options.exchange
    this.pace = options.pace
  }

  /** Over HTTP/1.1, or through another exchange. */
  async send(request: Request, exchange: Exchange = this.exchange): Promise<HttpResponse> {
    if (!request.withKey) return this.note(await exchange(request, this.headersOf(request)))
    for (let refusals = 0; ; refusals++) {
      if (this.keyFault !== undefined) throw new Skip(this.keyFault)
      await this.pace.beforeRequest()
      this.requestsWithKey++
      const response = this.note(await exchange(request, this.headersOf(request)))
      this.pace.note(response)
      if (response.status !== 429 || refusals === MAX_REFUSALS) return response
      await this.pace.afterRefusal(response)
    }
  }

  /** The same, but asked only once: several checks look at one response. */
  async remembered(request: Request): Promise<HttpResponse> {
    if (request.withKey && this.keyFault !== undefined) throw new Skip(this.keyFault)
    const name = JSON.stringify(request)
    const known = this.memory.get(name) ?? this.send(request)
    this.memory.set(name, known)
    return known
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

  headersOf({ headers = {}, withKey = false, body, bodyMode }: Request): Record<string, string> {
    return {
      ...usualHeaders,
      ...(withKey && !namesAuthorization(headers) && { Authorization: `Bearer ${this.key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(body !== undefined && bodyMode !== 'chunked' && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...(bodyMode === 'continue' && { Expect: '100-continue' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(KEY_MARK, this.key)])),
    }
  }

  private note(response: HttpResponse): HttpResponse {
    const { request, status, headers, rawHeaders, httpVersion } = response
    const id = headers['x-request-id']
    const isRepeated = id !== undefined && this.seen.some((earlier) => earlier.headers['x-request-id'] === id)
    this.seen.push({ request, status, headers, rawHeaders, httpVersion })
    return { ...response, isRepeated }
  }
}

/** In the value of a header, stands for the key: checks do not know it. */
export const KEY_MARK = '{key}'

const namesAuthorization = (headers: Record<string, string>) =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
