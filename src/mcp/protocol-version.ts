import type { HttpResponse, PublicRequest } from '../api/http-message.ts'
import type { OperationContract } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import { StoreBusyError } from '../database/errors.ts'
import { ProblemError } from '../problems/problem.ts'
import { type Message, RpcError, type RpcRequest } from './json-rpc.ts'
import { envelopeStart, type ResultBytes, toResultBytes } from './result-bytes.ts'
import { type Method, UNKNOWN } from './tools.ts'

export interface ProtocolVersion {
  version: string
  /** The first version that claims a request handles it; otherwise the last one does. */
  claims(message: Message, request: PublicRequest): boolean
  respond(message: Message, request: PublicRequest, admission: Admission): Promise<HttpResponse>
  contract: VersionContract
}

/** The schemas of requests and responses are referred to by name. */
export type VersionContract = Pick<
  OperationContract,
  'description' | 'parameters' | 'problems' | 'embeddedProblems' | 'schemas'
> &
  Record<'request' | 'response', { schemas: readonly string[]; example: object }>

/** The parts that differ between versions. */
interface VersionRules extends Pick<ProtocolVersion, 'version' | 'claims' | 'contract'> {
  methods: Readonly<Record<string, Method>>
  read(message: Message, request: PublicRequest): RpcRequest
  /** As JSON, exactly as it was sent. */
  idJsonOf(id: unknown, text: string): string
  check(rpc: RpcRequest, request: PublicRequest): void
  noMethod(): RpcError
  internalError(requestId: string): RpcError
  /** For the types of problems, if errors have them. */
  publicUrl?: string
}

const NO_PARAMS = {}

/** Wraps results and errors in the envelope of JSON-RPC. */
export function createVersion(rules: VersionRules): ProtocolVersion {
  const { version, claims, contract, publicUrl = '' } = rules
  const methods = new Map(Object.entries(rules.methods))
  const headers = ['Content-Type', 'application/json', ...versionHeaders(version)]
  const accepted: HttpResponse = { status: 202, headers: versionHeaders(version), body: [] }

  async function respond(message: Message, request: PublicRequest, admission: Admission): Promise<HttpResponse> {
    let idJson: string | undefined
    try {
      const rpc = rules.read(message, request)
      idJson = rpc.id === undefined ? undefined : rules.idJsonOf(rpc.id, message.text)
      if (idJson !== undefined) return inEnvelope(idJson, 'result', await call(rpc, request, admission))
      rules.check(rpc, request)
      request.rpcMethod = 'notification'
      return accepted
    } catch (error) {
      if (isBelowProtocol(error)) throw error
      if (!(error instanceof RpcError)) request.logFailure(error, admission.keyId)
      return failed(idJson, request, error instanceof RpcError ? error : rules.internalError(request.requestId))
    }
  }

  function call(rpc: RpcRequest, request: PublicRequest, admission: Admission): ReturnType<Method> {
    const method = methods.get(rpc.method)
    request.rpcMethod = method === undefined ? UNKNOWN : rpc.method
    rules.check(rpc, request)
    if (method === undefined) throw rules.noMethod()
    return method(rpc.params ?? NO_PARAMS, admission, request)
  }

  function failed(idJson: string | undefined, request: PublicRequest, { message, note, status, dataAt }: RpcError) {
    request.embedded = note
    const bytes = toResultBytes({ code: note.rpcCode, message, data: dataAt(publicUrl) })
    return inEnvelope(idJson, 'error', bytes, status)
  }

  const inEnvelope = (idJson: string | undefined, member: 'result' | 'error', bytes: ResultBytes, status = 200) => ({
    status,
    headers: status === 200 ? headers : REFUSED_HEADERS,
    body: [envelopeStart(idJson, member), ...bytes],
  })

  return { version, claims, respond, contract }
}

const REFUSED_HEADERS = ['Content-Type', 'application/json', 'Cache-Control', 'no-store']

/** These are sent as in REST, in every version. */
const isBelowProtocol = (error: unknown): boolean => error instanceof ProblemError || error instanceof StoreBusyError

/** Sent with 200, 202 and 429, as alternating header names and values. */
export const versionHeaders = (version: string): string[] => ['X-Service-Api-Version', version]

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** False for a version that is not a date. */
export const isSameOrLater = (version: string, than: string): boolean =>
  version === than || (version > than && DATE.test(version) && !Number.isNaN(Date.parse(version)))

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
