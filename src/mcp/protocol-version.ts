import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { HttpResponse, OperationContract, PublicRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import type { Resource } from '../resources/define.ts'
import type { Message } from './json-rpc.ts'

/** One version of the protocol, as its folder defines it: it decides which requests are its own, and answers them. */
export interface ProtocolVersion {
  /** The date that names it. */
  version: string
  /** Where several versions share a URL, the first that claims a request answers it; the last is not asked. */
  claims(message: Message, request: PublicRequest): boolean
  respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse>
  /** The OpenAPI description of a path that speaks this version. */
  contract: VersionContract
}

export type VersionContract = Pick<
  OperationContract,
  'description' | 'parameters' | 'problems' | 'embeddedProblems' | 'schemas'
> & {
  /** One request, and one response with status 200, by the names of their schemas. */
  request: { schemas: readonly string[]; example: object }
  response: { schemas: readonly string[]; example: object }
}

/** A problem, or a fault of the service rather than of the call: answered as on REST, whatever the version. */
export const isBelowProtocol = (error: unknown): boolean =>
  error instanceof ProblemError || error instanceof StoreBusyError || error instanceof DatabaseLost

/** Sent with 200, 202 and 429, as alternating header names and values. */
export const versionHeaders = (version: string): string[] => ['X-Service-Api-Version', version]

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Versions are dates: whether one is named here, and it is this one or a later one. */
export const isSameOrLater = (version: string, than: string): boolean =>
  version === than || (version > than && DATE.test(version) && !Number.isNaN(Date.parse(version)))

/** The annotations of every tool: nothing can be changed through any of them. */
export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** What `tools/list` answers to keys with these permissions: only the tools that they may call, serialised once for each set. */
export function createToolLists(
  resources: readonly Resource[],
  serialise: (allowed: readonly Resource[]) => string,
): (permissions: ReadonlySet<string>) => string {
  const lists = new Map<string, string>()
  return (permissions) => {
    const allowed = resources.filter(({ permission }) => permissions.has(permission))
    const key = allowed.map(({ name }) => name).join()
    const list = lists.get(key) ?? serialise(allowed)
    lists.set(key, list)
    return list
  }
}
