import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { HttpResponse, OperationContract, PublicRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import type { Message } from './json-rpc.ts'

export interface ProtocolVersion {
  /** The date that names it. */
  version: string
  /** The first version that claims a request answers it. The last is not asked. */
  claims(message: Message, request: PublicRequest): boolean
  respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse>
  contract: VersionContract
}

export type VersionContract = Pick<
  OperationContract,
  'description' | 'parameters' | 'problems' | 'embeddedProblems' | 'schemas'
> & {
  /** Schemas are referred to by name. */
  request: { schemas: readonly string[]; example: object }
  response: { schemas: readonly string[]; example: object }
}

/** These are sent as on REST in every version. */
export const isBelowProtocol = (error: unknown): boolean =>
  error instanceof ProblemError || error instanceof StoreBusyError || error instanceof DatabaseLost

/** Sent with 200, 202 and 429, as alternating header names and values. */
export const versionHeaders = (version: string): string[] => ['X-Service-Api-Version', version]

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** False for a version that is not a date. */
export const isSameOrLater = (version: string, than: string): boolean =>
  version === than || (version > than && DATE.test(version) && !Number.isNaN(Date.parse(version)))

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
