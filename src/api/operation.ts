/**
 * src/api is what the interfaces share, so that none imports another.
 *
 *   operation.ts          this file: REST and MCP define operations and pages; src/http serves them
 *   openapi.ts            the OpenAPI document of the operations
 *   http-message.ts       requests and responses, without sockets
 *   agent-preview.ts      what agents get, for the settings pages
 *   path-lifecycle.ts     deprecated paths and their end: the setting LIFECYCLE and its headers
 *   reserved-paths.ts, reserved-commands.ts   names of the service, which no resource may take
 *
 * app.ts connects them. Nothing here keeps state or reads the database.
 */
import type { Admission } from '../database/admission.ts'
import type { ApiContent, ApiParameter } from '../lib/openapi.ts'
import type { Field } from '../lib/schema.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import type { Problem } from '../problems/problem.ts'
import type { HttpResponse, PrivateRequest, PublicRequest } from './http-message.ts'
import type { ReservedPath } from './reserved-paths.ts'

/** The purpose of a request that is not for an operation. `invalid` if it could not be read. */
export type NonApiTarget = Page['kind'] | 'not_found' | 'invalid'

export interface FinishedRequest {
  /** From performance.now(). */
  startedAt: number
  /** An operation's path or a `NonApiTarget`, never text chosen by a client. */
  target: string
  /** `gone` if the client disconnected. */
  status: number | 'gone'
  countedAdmission: Admission | undefined
  refusalCode: ProblemCode | undefined
}

export type ObserveRequest = (request: FinishedRequest) => void

/** Not in the OpenAPI document, and served without a key: health, the documentation, the settings, connecting by signing in. */
export interface Page {
  /** Only `settings` take other methods than GET and HEAD. */
  kind: 'health' | 'page' | 'settings'
  paths: readonly ReservedPath[]
  accepts?(path: string, accept: string | undefined): boolean
  isSheddable?: boolean
  /** Whether it also responds to browsers at paths that do not exist. */
  showsNotFound?: boolean
  respond(request: PrivateRequest): Promise<HttpResponse>
}

/** REST and MCP define operations; src/http serves them, and openapi.ts describes them. */
export interface Operation {
  path: string
  problemsHaveInstance?: boolean
  /** Parameters that the challenge of a 401 has after its realm, such as `, scope="tasks:read"`. */
  challenge?: string
  /** Added to the headers that every 429 has. */
  rateLimitedHeaders?(request: PublicRequest): readonly string[]
  /** `readmit` is set if the body is still arriving. It must be called before data is read: the key may end until then. */
  respond(request: PublicRequest, admission: Admission, readmit?: () => Promise<Admission>): Promise<HttpResponse>
  contract: OperationContract
}

export interface OperationContract {
  /** A path with GET also has HEAD, and OPTIONS without a key. */
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
