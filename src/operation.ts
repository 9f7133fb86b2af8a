import type { Caller } from './database/caller.ts'
import type { Admission, Quota, QuotaWindow } from './database/store.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Field } from './lib/schema.ts'
import type { OwnPath } from './own-paths.ts'
import type { ProblemCode } from './problems/catalogue.ts'
import type { Problem } from './problems/problem.ts'

/** The headers that the service reads; all others are dropped. */
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

/** What the requests of all faces have in common. */
interface AnyRequest {
  method: string
  requestId: string
  /** Several headers of one name are joined. */
  header(name: HeaderName): string | undefined
  /** Reads the body; throws `tooLarge()` if it is larger. */
  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer>
  /** Logs the cause of a failure, which the response does not give. */
  report(error: unknown): void
}

/** A request of a script or an agent. */
export interface PublicRequest extends AnyRequest {
  /** Whether it had arrived with its whole body when it was admitted. */
  arrivedComplete: boolean
  /** Records that the key lacked a permission, where the response is not the problem `forbidden`. */
  noteForbidden(): void
  /** Records the W3C trace context that the body carries, unless a header carried one. */
  noteTraceparent(traceparent: string): void
}

export interface HttpResponse {
  status: number
  /** Alternating names and values. */
  headers: readonly string[]
  /** Sent in order. Large Buffers are sent without a copy, so a cached one is in memory once, however many clients read it. */
  body: readonly BodyPart[]
  /** Instead of a body that is known at once: text that is read as fast as the client takes it, a part at a time. */
  stream?: AsyncIterable<string>
}

/** Bytes, or a text of which each character is one byte (Latin-1): a short one is cheaper as text. */
export type BodyPart = Buffer | string

/** What a request is for that is for no operation. Invalid: that was not found out. */
export type BesideApi = Page['kind'] | 'settings' | 'not_found' | 'invalid'

/** A request that was answered, or given up by its client. */
export interface RequestOutcome {
  /** By performance.now(). */
  startedAt: number
  /** The path of an operation, or one of `BesideApi`: nothing that a client made up. */
  target: string
  /** The admission that counted the request, if one did. */
  counted: Admission | undefined
  refusal: ProblemCode | undefined
}

export type ObserveRequest = (outcome: RequestOutcome, status: number | 'gone') => void

/** A request of a browser. No key was checked: the settings pages find the session themselves. */
export interface PrivateRequest extends AnyRequest {
  path: string
  query: URLSearchParams
  caller: Caller
  /** Whether the client has disconnected, so that the response is not awaited. */
  isGone: boolean
  /** Calls back when the response has been sent, or the client is gone. */
  whenAnswered(done: () => void): void
}

/** Pages that are not part of the API: not in OpenAPI, and no key gives access. */
export interface PrivateApp {
  paths: readonly OwnPath[]
  respond(request: PrivateRequest): Promise<HttpResponse>
}

/** Something served beside the API to GET and HEAD, without a key: health, the OpenAPI document, the documentation. */
export interface Page {
  kind: 'health' | 'page'
  paths: readonly OwnPath[]
  /** Whether it serves this path to a client with this Accept header; always, if left out. */
  isFor?(path: string, accept: string | undefined): boolean
  /** Whether it is refused under overload. Checks of health are not. */
  isShed?: boolean
  respond(request: Pick<PrivateRequest, 'path' | 'header'>): Promise<HttpResponse>
}

/** One path of the public API. REST and MCP define these; http serves them and describes them in OpenAPI. */
export interface Operation {
  path: string
  methods: readonly string[]
  /** Whether OPTIONS is answered, without a key. */
  handlesOptions: boolean
  /** Whether problems have `instance`. */
  problemsNameInstance: boolean
  /** Headers of a 429 besides those of every operation. */
  rateLimitedHeaders(request: PublicRequest): readonly string[]
  /**
   * Called once the key is admitted. If the body arrived later than the head, it must call `readmit` before it reads any data:
   * the key may have ended and the data changed since.
   */
  respond(request: PublicRequest, admission: Admission, readmit: () => Promise<Admission>): MaybePromise<HttpResponse>
  contract: OperationContract
}

/** What OpenAPI describes of an operation, beyond what all have in common. */
export interface OperationContract {
  method: 'get' | 'post'
  operationId: string
  tag: string
  summary: string
  description: string
  parameters: readonly Parameter[]
  /** As JSON. */
  requestBody?: BodyContract
  /** Successes, by status. */
  responses: Record<string, { description: string; headers: readonly string[] } & Partial<BodyContract>>
  problems: readonly ProblemCode[]
  embeddedProblems?: EmbeddedProblems
  schemas: Record<string, Field>
}

/** Schemas refer to each other only by name. */
interface BodyContract {
  schema: object
  example?: unknown
  /** Instead of one, by name. */
  examples?: Record<string, { value: unknown }>
}

interface Parameter {
  name: string
  in: 'header'
  required: boolean
  description: string
  schema: object
  example?: string
}

/** Problems that a protocol wants inside a response of its own form, in application/json. */
export interface EmbeddedProblems {
  /** The HTTP status that each comes with, which may be 200. */
  statuses: Partial<Record<ProblemCode, number>>
  schema: object
  embed(problem: Problem): object
}

/** A request for an operation that the service sends to itself, on a person's behalf. */
export interface ApiRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
}

/** What goes over the wire, without what HTTP adds to every response: Date and Connection. */
export interface ApiResponse {
  status: number
  headers: (readonly [name: string, value: string])[]
  body: Buffer
}

/** What a key may read: that of a key that exists, or of one that is about to be created. */
export interface PreviewAccess extends Pick<Admission, 'workspaceId' | 'available' | 'now'> {
  permissions: readonly string[]
}

/** The public API as the settings pages use it. */
export interface PublicApi {
  /** The same as if the holder of the key had sent it: admitted, counted, recorded and logged. */
  perform(keyHash: string, request: ApiRequest, caller: Caller): Promise<ApiResponse>
  /** What a key with these permissions would get. Nothing is admitted, counted, recorded or cached. */
  preview(access: PreviewAccess, request: ApiRequest): Promise<ApiResponse>
  /** Undefined if all of the quota is left. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  /** The request by which an agent calls a method, in the newest version of MCP. */
  agentRequest(method: string, params?: Readonly<Record<string, unknown>>): ApiRequest
}
