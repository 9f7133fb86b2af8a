import type { Caller } from '../database/usage/caller.ts'
import type { ProblemCode } from '../problems/catalogue.ts'

/** The request headers that the service reads. */
export type HeaderName =
  | 'accept'
  | 'accept-encoding'
  | 'authorization'
  | 'content-encoding'
  | 'content-length'
  | 'content-type'
  | 'cookie'
  | 'host'
  | 'if-none-match'
  | 'mcp-method'
  | 'mcp-name'
  | 'mcp-protocol-version'
  | 'origin'
  | 'sec-fetch-site'
  | 'transfer-encoding'

interface AnyRequest {
  method: string
  requestId: string
  header(name: HeaderName): string | undefined
  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer>
  /** Logs the cause of a failure, which the response hides. */
  logFailure(error: unknown, keyId?: string): void
}

export interface PublicRequest extends AnyRequest, RequestNotes {}

/** What a protocol adds to the log. */
export interface RequestNotes {
  /** What its message calls. The names are declared here, never chosen by a client. */
  rpcMethod?: string | undefined
  toolName?: string | undefined
  toolArguments?: { declared: readonly string[]; given: unknown } | undefined
  /** An error that the response contains in its protocol's format. */
  embedded?: EmbeddedError | undefined
}

/** `rpcCode` is that of a JSON-RPC error; `isError` marks a tool's result. */
export interface EmbeddedError {
  code?: ProblemCode
  rpcCode?: number
  isError?: true
  /** The key lacks a permission, whether or not the response reveals that. */
  isForbidden?: boolean
}

export interface HttpResponse {
  status: number
  /** Names and values alternate. */
  headers: readonly string[]
  /** Large Buffers are sent without a copy, so a cached one is in memory only once. */
  body: readonly Buffer[]
  /** Sent instead of the body, and read only as fast as the client reads it. */
  stream?: AsyncIterable<string>
}

/** For a page. No key has been checked: the settings look up the session themselves. */
export interface PrivateRequest extends AnyRequest {
  path: string
  query: URLSearchParams
  caller: Caller
  /** Also true if the client half-closed its connection: one that disconnects looks the same. */
  isGone: boolean
  /** Also calls back if the client disconnects. */
  onResponseSent(done: () => void): void
}
