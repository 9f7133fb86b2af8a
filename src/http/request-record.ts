import type { HttpResponse } from '../api/http-message.ts'
import type { FinishedRequest } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import type { Caller } from '../database/usage/caller.ts'
import type { RequestFacts } from '../database/usage/recorded.ts'
import { type KeyRefusal, type RefusalReason, refusalReasonByCode } from '../keys/admission.ts'
import { isObject } from '../lib/checker.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import type { HttpRequest } from './request.ts'
import { lengthOf } from './responses.ts'
import type { Route } from './routing.ts'

/** What became of a request. */
export interface Completion {
  route: Route
  /** The admission of a key that was still valid at the end. */
  admission?: Admission | undefined
  /** Set instead if the key had ended by the time the body arrived. */
  counted?: Admission | undefined
  refusal?: KeyRefusal | undefined
  /** The code of the problem that was sent as the response. */
  problemCode?: ProblemCode | undefined
  /** Undefined if the client disconnected. */
  response: HttpResponse | undefined
}

/** What the log, the metrics and the use records show of a request. Computed when it is read: most requests need little of it. */
export class RequestRecord implements FinishedRequest, RequestFacts {
  readonly request: HttpRequest
  readonly completion: Completion
  readonly ms: number

  constructor(request: HttpRequest, completion: Completion) {
    this.request = request
    this.completion = completion
    this.ms = Math.round((performance.now() - request.startedAt) * 1000) / 1000
  }

  get requestId(): string {
    return this.request.requestId
  }

  get startedAt(): number {
    return this.request.startedAt
  }

  get caller(): Caller {
    return this.request.caller
  }

  get admission(): Admission | undefined {
    return this.completion.admission
  }

  get countedAdmission(): Admission | undefined {
    return this.completion.admission ?? this.completion.counted
  }

  get keyRefusal(): KeyRefusal | undefined {
    return this.completion.refusal
  }

  get keyId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.countedAdmission)?.keyId
  }

  get workspaceId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.countedAdmission)?.workspaceId
  }

  get target(): string {
    return this.completion.route.name
  }

  get operation(): string {
    return `${this.request.method} ${this.target}`
  }

  get tool(): string | undefined {
    return this.request.toolName ?? this.request.rpcMethod
  }

  /** Only the names that the tool declares: a client can make up others. */
  get argumentNames(): string | undefined {
    const { given, declared = [] } = this.request.toolArguments ?? {}
    if (!isObject(given)) return undefined
    const names = declared.filter((name) => Object.hasOwn(given, name)).sort()
    if (Object.keys(given).length > names.length) names.push('(unknown)')
    return names.join() || undefined
  }

  /** Counted by the metrics: a tool that the key may not call is refused too, though the response may hide that. */
  get refusalCode(): ProblemCode | undefined {
    return this.completion.problemCode ?? (this.request.embedded?.isForbidden ? 'forbidden' : undefined)
  }

  /** Why the key's request was refused, in the log and the use records. */
  get refusalReason(): RefusalReason | undefined {
    if (this.refusalCode === undefined || this.completion.route.operation === undefined) return undefined
    return this.refusalCode === 'unauthorized' ? this.keyRefusal?.reason : refusalReasonByCode[this.refusalCode]
  }

  /** For the log, which shows the JSON-RPC code separately. */
  get loggedCode(): ProblemCode | undefined {
    return this.request.embedded?.code ?? this.refusalCode
  }

  /** For the use records, which have one column for all kinds of errors. */
  get errorCode(): string | undefined {
    const { embedded } = this.request
    const code = this.loggedCode ?? embedded?.rpcCode?.toString()
    return embedded?.isError ? `isError ${code}` : code
  }

  get status(): number | 'gone' {
    return this.completion.response?.status ?? 'gone'
  }

  get bytes(): number {
    const { response } = this.completion
    return response === undefined || this.request.method === 'HEAD' ? 0 : lengthOf(response.body)
  }
}
