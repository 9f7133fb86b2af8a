import { randomUUID } from 'node:crypto'
import type { EmbeddedError, HttpResponse, PublicRequest } from '../api/http-message.ts'
import type { FinishedRequest, NonApiTarget } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import type { Caller } from '../database/usage/caller.ts'
import type { RequestFacts } from '../database/usage/recorded.ts'
import { type KeyRefusal, type RefusalReason, refusalReasonByCode } from '../keys/admission.ts'
import { isObject } from '../lib/checker.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { lengthOf } from './responses.ts'
import type { Route } from './routing.ts'

/**
 * What the log, the metrics and the use records show of a request. Each step of handling it fills in its fields:
 *   routing     path; route or nonApiTarget
 *   admission   keyRefusal; or admission and countedAdmission
 *   operation   the notes of its protocol
 *   response    problemCode, if it is a problem; response and ms
 * The rest is computed when it is read, because most requests need little of it.
 */
export class RequestRecord implements FinishedRequest, RequestFacts {
  readonly requestId = randomUUID()
  readonly startedAt = performance.now()
  readonly method: string
  readonly caller: Caller
  path = ''
  route: Route | undefined
  /** What the request was for, if not for an operation. */
  nonApiTarget: NonApiTarget = 'invalid'
  admission: Admission | undefined
  /** The admission that counted the request. Stays set even if the key ends before the response. */
  countedAdmission: Admission | undefined
  keyRefusal: KeyRefusal | undefined
  /** The code of the problem that was sent as the response. */
  problemCode: ProblemCode | undefined
  rpcMethod: string | undefined
  toolName: string | undefined
  toolArguments: PublicRequest['toolArguments']
  embedded: EmbeddedError | undefined
  traceparentInBody: string | undefined
  /** Set when the request ends. Without a response, the client disconnected. */
  response: HttpResponse | undefined
  ms = 0

  constructor(method: string, caller: Caller) {
    this.method = method
    this.caller = caller
  }

  get keyId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.countedAdmission)?.keyId
  }

  get workspaceId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.countedAdmission)?.workspaceId
  }

  get target(): string {
    return this.route?.operation.path ?? this.nonApiTarget
  }

  get operation(): string {
    return `${this.method} ${this.target}`
  }

  get tool(): string | undefined {
    return this.toolName ?? this.rpcMethod
  }

  /** Only the names that the tool declares: a client can make up others. */
  get argumentNames(): string | undefined {
    const { given, declared = [] } = this.toolArguments ?? {}
    if (!isObject(given)) return undefined
    const names = declared.filter((name) => Object.hasOwn(given, name)).sort()
    if (Object.keys(given).length > names.length) names.push('(unknown)')
    return names.join() || undefined
  }

  /** Counted by the metrics: a tool that the key may not call is refused too, though the response may hide that. */
  get refusalCode(): ProblemCode | undefined {
    return this.problemCode ?? (this.embedded?.isForbidden ? 'forbidden' : undefined)
  }

  /** Why the key's request was refused, in the log and the use records. */
  get refusalReason(): RefusalReason | undefined {
    if (this.refusalCode === undefined || this.route === undefined) return undefined
    return this.refusalCode === 'unauthorized' ? this.keyRefusal?.reason : refusalReasonByCode[this.refusalCode]
  }

  /** For the log, which shows the JSON-RPC code separately. */
  get loggedCode(): ProblemCode | undefined {
    return this.embedded?.code ?? this.refusalCode
  }

  /** For the use records, which have one column for all kinds of errors. */
  get errorCode(): string | undefined {
    const code = this.loggedCode ?? this.embedded?.rpcCode?.toString()
    return this.embedded?.isError ? `isError ${code}` : code
  }

  get status(): number | 'gone' {
    return this.response?.status ?? 'gone'
  }

  get bytes(): number {
    return this.response === undefined || this.method === 'HEAD' ? 0 : lengthOf(this.response.body)
  }
}
