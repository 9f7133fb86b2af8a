import { after, type TestContext } from 'node:test'
import { type Conform, loadContract } from './conform.ts'
import { exchange, type HttpResponse, type Sent } from './exchange.ts'
import { modernService } from './modern-client.ts'
import { type Service, startService } from './service.ts'

/** The service, and request functions that check every response against its own OpenAPI document. */
export interface ContractService extends Omit<Service, 'get' | 'rpc'> {
  /** Exactly this request: no key unless it is among the headers. */
  send(path: string, sent?: Sent): Promise<HttpResponse>
  /** GET, by default with the key. */
  get(path: string, headers?: Record<string, string>): Promise<HttpResponse>
  /** POST of JSON, by default with the key and to /mcp. A string or a Buffer is sent unchanged. */
  rpc(message: unknown, headers?: Record<string, string>, path?: string): Promise<HttpResponse>
  /** For responses that arrived in another way. */
  conform: Conform
  /** tools/call with id 1. */
  call(name: string, args?: unknown, key?: string): Promise<RpcReply>
}

/** A JSON-RPC response, loosely typed for assertions. */
export interface RpcReply {
  jsonrpc: string
  id: unknown
  result?: { content: { type: string; text: string }[]; isError?: boolean }
  error?: { code: number; message: string; data?: unknown }
}

export const taskIdsIn = (response: HttpResponse): string[] =>
  (response.json as { tasks: { id: string }[] }).tasks.map(({ id }) => id)

/** Options of a service whose keys have this quota. */
export const withQuota = (limit: number, windowSeconds = 60) => ({
  env: { RATE_LIMIT: `${limit};w=${windowSeconds}` },
})

export async function startContractService(
  t: TestContext,
  options?: Parameters<typeof startService>[1],
): Promise<ContractService> {
  const service = await startService(t, options)
  const { url, key } = service
  if (options !== undefined) return { ...service, ...(await contractClient(url, key)) }
  usual ??= loadContract(url)
  return { ...service, ...clientOf(url, key, await usual) }
}

/** The check of all services without options: they publish one document, which takes a third of a service's start to write. */
let usual: Promise<Conform> | undefined

/** The same ways of asking for any server with a key. */
export const contractClient = async (url: string, key: string) => clientOf(url, key, await loadContract(url))

function clientOf(url: string, key: string, conform: Conform) {
  const send = async (path: string, sent: Sent = {}) => {
    const response = await exchange(url, path, sent)
    conform(sent.method ?? 'GET', path, response)
    return response
  }
  const rpc = (message: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
    send(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    })
  return {
    conform,
    send,
    rpc,
    get: (path: string, headers: Record<string, string> = {}) =>
      send(path, { headers: { authorization: `Bearer ${key}`, ...headers } }),
    call: async (name: string, args?: unknown, otherKey = key) => {
      const params = args === undefined ? { name } : { name, arguments: args }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      return (await rpc(message, { authorization: `Bearer ${otherKey}` })).json as RpcReply
    },
  }
}

const ends: (() => void | Promise<void>)[] = []
after(async () => {
  for (const end of ends) await end()
})

let shared: Promise<ContractService> | undefined

/**
 * One service for all tests of the process that only ask: most take less time than its start. For each, the clock is a minute
 * further, so it finds a full quota. A test that changes data starts a service of its own.
 */
export async function sharedContractService(): Promise<ContractService> {
  shared ??= startContractService({ after: (end: () => void) => ends.push(end) } as unknown as TestContext)
  const service = await shared
  service.time.now += 60_000
  return service
}

export const sharedModernService = async () => modernService(await sharedContractService())
