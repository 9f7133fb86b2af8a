/**
 * node:http as `require` loads it. `import` also evaluates the exports for WebSockets, which load undici, HTTP/2 and TLS: 14 MB
 * of memory in every process.
 */
import type * as http from 'node:http'

const loaded = process.getBuiltinModule('node:http')

export const { Agent, createServer, IncomingMessage, request, Server, ServerResponse, STATUS_CODES } = loaded
export const { validateHeaderName, validateHeaderValue } = loaded

export type IncomingMessage = http.IncomingMessage
export type ServerResponse<Request extends IncomingMessage = IncomingMessage> = http.ServerResponse<Request>
export type Server = http.Server
