import type { TSchema } from 'typebox'
import type { ProblemCode } from './problems/catalogue.ts'
import type { Caller } from './storage/caller.ts'
import type { Admission } from './storage/store.ts'

/** A request that has passed the gate. */
export interface AdmittedRequest {
  method: string
  /** The header's value, by its name in lower case. */
  header(name: string): string | undefined
  /** Reads the body; the caller says what to throw when it is larger than this. */
  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer>
  admission: Admission
  requestId: string
  /** Writes the cause of a failure that the answer does not tell into the log. */
  report(error: unknown): void
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
export interface PrivateRequest {
  method: string
  path: string
  query: URLSearchParams
  header(name: string): string | undefined
  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer>
  caller: Caller
  requestId: string
  report(error: unknown): void
}

/** A face that is no part of the API: never described in OpenAPI, never opened by a key. */
export interface PrivateFace {
  matches(path: string): boolean
  answer(request: PrivateRequest): Promise<Answer>
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
  answer(request: AdmittedRequest): Promise<Answer>
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
  responses: Record<string, { description: string; schema?: TSchema; example?: unknown; headers: readonly string[] }>
  problems: readonly ProblemCode[]
  schemas: Record<string, TSchema>
}
