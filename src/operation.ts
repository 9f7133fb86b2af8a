import type { Caller } from './database/caller.ts'
import type { Admission, Quota, QuotaWindow } from './database/store.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { ApiContent, ApiParameter } from './lib/openapi.ts'
import type { Field } from './lib/schema.ts'
import type { ProblemCode } from './problems/catalogue.ts'
import type { Problem } from './problems/problem.ts'
import type { ReservedPath } from './reserved-paths.ts'

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
  report(error: unknown): void
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
  /** An error that the response contains in its protocol's form. */
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

/** The purpose of a request that is not for an operation. `invalid` if it could not be read. */
export type NonApiTarget = Page['kind'] | 'settings' | 'not_found' | 'invalid'

export interface FinishedRequest {
  /** From performance.now(). */
  startedAt: number
  /** An operation's path or a `NonApiTarget`, never text chosen by a client. */
  target: string
  counted: Admission | undefined
  refusal: ProblemCode | undefined
}

export type ObserveRequest = (outcome: FinishedRequest, status: number | 'gone') => void

/** No key has been checked: the settings pages look up the session themselves. */
export interface PrivateRequest extends AnyRequest {
  path: string
  query: URLSearchParams
  caller: Caller
  isGone: boolean
  /** Also calls back if the client disconnects. */
  onResponseSent(done: () => void): void
}

/** Pages that are not in the OpenAPI document and that no key gives access to. */
export interface PrivateApp {
  paths: readonly ReservedPath[]
  respond(request: PrivateRequest): Promise<HttpResponse>
}

/** Served to GET and HEAD without a key: health, the OpenAPI document, the documentation. */
export interface Page {
  kind: 'health' | 'page'
  paths: readonly ReservedPath[]
  isFor?(path: string, accept: string | undefined): boolean
  isShed?: boolean
  /** Whether it also responds to browsers at paths that do not exist. */
  showsNotFound?: boolean
  respond(request: Pick<PrivateRequest, 'path' | 'header' | 'query'>): Promise<HttpResponse>
}

/** REST and MCP define operations; http serves them and describes them in OpenAPI. */
export interface Operation {
  path: string
  methods: readonly string[]
  /** OPTIONS needs no key. */
  handlesOptions: boolean
  problemsHaveInstance: boolean
  /** Parameters that the challenge of a 401 has after its realm, such as `, scope="tasks:read"`. */
  challenge: string
  /** Added to the headers that every 429 has. */
  rateLimitedHeaders(request: PublicRequest): readonly string[]
  /** After waiting for the body, must call `readmit` before reading data: the key may have ended meanwhile. */
  respond(request: PublicRequest, admission: Admission, readmit: () => Promise<Admission>): MaybePromise<HttpResponse>
  contract: OperationContract
}

export interface OperationContract {
  method: 'get' | 'post'
  operationId: string
  tag: string
  summary: string
  description: string
  parameters: readonly ApiParameter[]
  requestBody?: BodyContract
  responses: Record<string, { description: string; headers: readonly string[] } & Partial<BodyContract>>
  problems: readonly ProblemCode[]
  embeddedProblems?: EmbeddedProblems
  schemas: Record<string, Field>
}

/** Schemas refer to each other by name. Named examples replace `example`. */
type BodyContract = Omit<ApiContent, 'schema'> & { schema: object }

/** Problems that a protocol embeds in its own JSON responses. */
export interface EmbeddedProblems {
  /** HTTP statuses, which may be 200. */
  statuses: Partial<Record<ProblemCode, number>>
  schema: object
  embed(problem: Problem): object
}

/** A request that the service sends to itself on a person's behalf. */
export interface ApiRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
}

/** Without Date and Connection, which HTTP adds to every response. */
export interface ApiResponse {
  status: number
  headers: (readonly [name: string, value: string])[]
  body: Buffer
}

/** The key may exist already, or be about to be created. */
export interface PreviewAccess extends Pick<Admission, 'workspaceId' | 'available' | 'now'> {
  permissions: readonly string[]
}

/** The settings pages call the public API through this. */
export interface PublicApi {
  /** Admits, counts, records and logs the request as if the key holder had sent it. */
  perform(keyHash: string, request: ApiRequest, caller: Caller): Promise<ApiResponse>
  /** Does not admit, count, record or cache anything. */
  preview(access: PreviewAccess, request: ApiRequest): Promise<ApiResponse>
  /** Undefined if none of the quota is used. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  agentRequest(method: string, params?: Readonly<Record<string, unknown>>): ApiRequest
}
