import type { HttpResponse } from '../api/http-message.ts'
import type { FinishedRequest } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import type { RequestFacts } from '../database/usage/request-recorder.ts'
import { type KeyRefusal, type RefusalReason, refusalReasonByCode } from '../keys/admission.ts'
import { isObject } from '../lib/checker.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import type { HttpRequest } from './request.ts'
import { lengthOf, sentBody } from './responses.ts'
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

/** What the log, the metrics and the use records show of a request. */
export interface RequestRecord extends FinishedRequest, RequestFacts {
  request: HttpRequest
  route: Route
  /** Of a key that was still valid at the end. */
  admission: Admission | undefined
  keyRefusal: KeyRefusal | undefined
  keyId: string | undefined
  workspaceId: string | undefined
  /** For the log, which shows the JSON-RPC code separately. */
  loggedCode: ProblemCode | undefined
  refusalReason: RefusalReason | undefined
}

export function recordOf(request: HttpRequest, completion: Completion): RequestRecord {
  const { requestId, startedAt, method, caller, embedded } = request
  const { route, admission, counted, refusal, problemCode, response } = completion
  const key = admission ?? refusal ?? counted
  // A tool that the key may not call is refused too, though the response may hide that.
  const refusalCode = problemCode ?? (embedded?.isForbidden ? 'forbidden' : undefined)
  const loggedCode = embedded?.code ?? refusalCode
  const code = loggedCode ?? embedded?.rpcCode?.toString()
  return {
    request,
    requestId,
    startedAt,
    caller,
    route,
    target: route.name,
    operation: `${method} ${route.name}`,
    admission,
    countedAdmission: admission ?? counted,
    keyRefusal: refusal,
    keyId: key?.keyId,
    workspaceId: key?.workspaceId,
    tool: request.toolName ?? request.rpcMethod,
    argumentNames: argumentNamesOf(request),
    refusalCode,
    refusalReason: route.operation && refusalReasonOf(refusalCode, refusal),
    loggedCode,
    errorCode: embedded?.isError ? `isError ${code}` : code,
    status: response?.status ?? 'gone',
    bytes: response === undefined ? 0 : lengthOf(sentBody(request, response)),
    ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
  }
}

const refusalReasonOf = (code: ProblemCode | undefined, refusal: KeyRefusal | undefined) =>
  code === 'unauthorized' ? refusal?.reason : code && refusalReasonByCode[code]

/** Only the names that the tool declares: a client can make up others. */
function argumentNamesOf({ toolArguments }: HttpRequest): string | undefined {
  const { given, declared = [] } = toolArguments ?? {}
  if (!isObject(given)) return undefined
  const names = declared.filter((name) => Object.hasOwn(given, name)).sort()
  if (Object.keys(given).length > names.length) names.push('(unknown)')
  return names.join() || undefined
}
