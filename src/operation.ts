import type { Caller } from './database/caller.ts'
import type { Admission } from './database/store.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Field } from './lib/schema.ts'
import type { ProblemCode } from './problems/catalogue.ts'

/** What every request can be asked. */
interface AnyRequest {
  method: string
  requestId: string
  /** The header's value, by its name in lower case; several of one name are joined. */
  header(name: string): string | undefined
  /** Reads the body; the caller says what to throw when it is larger than this. */
  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer>
  /** Writes the cause of a failure that the answer does not tell into the log. */
  report(error: unknown): void
}

/** A request of a script or an agent. */
export interface PublicRequest extends AnyRequest {
  /** Whether all of it, its body too, had arrived when it was admitted. */
  cameWhole: boolean
  /** Notes that the key lacked a permission, where the answer is not a problem that says so. */
  noteForbidden(): void
}

export interface Answer {
  status: number
  /** Names and values in turn. */
  headers: readonly string[]
  /** Sent one after the other; joining large ones first would cost more than it saves. */
  body: readonly Buffer[]
}

/** A request of a person's browser. It has passed no gate: whoever answers it looks for a session of their own. */
export interface PrivateRequest extends AnyRequest {
  path: string
  query: URLSearchParams
  caller: Caller
  /** Whether its client has left, so that nobody waits for the answer. */
  isGone: boolean
}

/** Pages that are no part of the API: never described in OpenAPI, never opened by a key. */
export interface PrivateApp {
  matches(path: string): boolean
  answer(request: PrivateRequest): Promise<Answer>
}

/** Something served beside the API to GET and HEAD, without a key: health, the OpenAPI document, the problem pages. */
export interface Page {
  matches(path: string): boolean
  answer(request: Pick<PrivateRequest, 'path' | 'header'>): Promise<Answer>
}

/** One path of the public API. The faces make these; the HTTP face serves them and describes them in OpenAPI. */
export interface Operation {
  path: string
  methods: readonly string[]
  /** Answered to OPTIONS without a key, where the contract says so. */
  answersOptions: boolean
  /** Whether a problem also names its occurrence (`instance`). */
  problemsNameInstance: boolean
  /** Headers of a 429 besides those that every operation's has. */
  rateLimitedHeaders: readonly string[]
  /**
   * Asked when the request has passed the gate. One that reads a body which came later than its head asks `readmit` before
   * it reads anything else: the key may have ended and the data changed since.
   */
  answer(request: PublicRequest, admission: Admission, readmit: () => Promise<Admission>): MaybePromise<Answer>
  contract: OperationContract
}

/** What OpenAPI says of an operation, beyond what all have in common. */
export interface OperationContract {
  method: 'get' | 'post'
  operationId: string
  tag: string
  summary: string
  description: string
  parameters: readonly object[]
  requestBody?: object
  /** Successes, by status. */
  responses: Record<string, { description: string; schema?: Field; example?: unknown; headers: readonly string[] }>
  problems: readonly ProblemCode[]
  schemas: Record<string, Field>
}
