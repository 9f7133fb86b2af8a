import { assertModernResponse } from './modern-schema.ts'

/** One request and its response, as they were on the wire. */
export interface Exchange {
  verb: string
  path: string
  headers: Headers
  /** Text; empty where there is none. */
  request: string
  status: number
  contentType: string | null
  response: string
}

interface Message {
  id?: unknown
  method?: string
  params?: { _meta?: Record<string, unknown> }
}

const versionOf = ({ headers }: Exchange) => headers.get('mcp-protocol-version') ?? 'no version'

function messageOf({ request }: Exchange): Message {
  try {
    return (JSON.parse(request) ?? {}) as Message
  } catch {
    return {}
  }
}

/** Method, protocol version in the header, status of the response. */
export const lineOf = (exchange: Exchange) =>
  `${messageOf(exchange).method ?? exchange.verb} (${versionOf(exchange)}) ${exchange.status}`

/** The request's protocol version, as the contract determines it. */
function isModern(exchange: Exchange): boolean {
  const { method, params } = messageOf(exchange)
  const named = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (named !== undefined && named !== '2025-03-26') return true
  return method !== 'initialize' && (exchange.headers.get('mcp-protocol-version') ?? '') >= '2026-07-28'
}

/** Modern responses, except problems below the protocol, must match the protocol's schema. */
export function check(exchange: Exchange): Exchange {
  const { path, contentType, response } = exchange
  if (path === '/v2/mcp' && contentType === 'application/json' && isModern(exchange)) {
    const { method, id } = messageOf(exchange)
    assertModernResponse(method, id, response)
  }
  return exchange
}

/** The protocol versions of successful requests. */
export function erasOf(exchanges: Exchange[]): string[] {
  const spoken = exchanges.filter(({ verb, status }) => verb === 'POST' && status === 200)
  return [...new Set(spoken.map((exchange) => (isModern(exchange) ? versionOf(exchange) : '2025-03-26')))]
}
