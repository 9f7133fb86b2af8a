import type { Caller } from '../database/usage/caller.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { ProblemCode } from '../problems/catalogue.ts'

/** Request headers that are not listed here are dropped. */
export const headerNames = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'if-none-match',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'sec-fetch-site',
  'te',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'x-forwarded-for',
] as const

export type HeaderName = (typeof headerNames)[number]

interface AnyRequest {
  method: string
  requestId: string
  header(name: HeaderName): string | undefined
  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer>
  /** Logs the cause of a failure, which the response hides. */
  logFailure(error: unknown): void
}

export interface PublicRequest extends AnyRequest, RequestNotes {
  /** Whether the whole body had arrived when the request was admitted. */
  arrivedComplete: boolean
}

/** What a protocol adds to the log. */
export interface RequestNotes {
  /** What its message calls. The names are declared here, never chosen by a client. */
  rpcMethod?: string | undefined
  toolName?: string | undefined
  toolArguments?: { declared: readonly string[]; given: unknown } | undefined
  /** An error that the response contains in its protocol's format. */
  embedded?: EmbeddedError | undefined
  /** The W3C trace context in the body. Ignored if a header has one. */
  traceparentInBody?: string | undefined
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
  /** More headers, by `headerLines`, if many responses share them: as lines they take half the time of a response's head. */
  lines?: string
  /** Large Buffers are sent without a copy, so a cached one is in memory only once. */
  body: readonly BodyPart[]
  /** Sent instead of the body, and read only as fast as the client reads it. */
  stream?: AsyncIterable<string>
}

/** Strings are Latin-1, one byte per character: short parts are cheaper as text. */
export type BodyPart = Buffer | string

export const bytesOf = (body: readonly BodyPart[]): Buffer =>
  Buffer.concat(body.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))

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
