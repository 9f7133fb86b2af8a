import { isUtf8 } from 'node:buffer'
import type { PublicRequest } from '../../api/http-message.ts'
import { isObject } from '../../lib/checker.ts'
import { idAsWritten, type Message, type RpcRequest } from '../json-rpc.ts'
import { isSameOrLater } from '../protocol-version.ts'
import { protocolError } from './errors.ts'
import { CAPABILITIES_MEMBER, PROTOCOL_VERSION, VERSION_MEMBER } from './protocol.ts'

/** The members that name the protocol version, before anything is checked. */
interface UncheckedBody {
  method?: unknown
  params?: { _meta?: Record<string, unknown> | null } | null
}

/** An `initialize` that is new only by its header comes from an old client, which offers its newest version there. */
export function isModern({ json }: Message, request: PublicRequest, olderVersions: readonly string[]): boolean {
  const { method, params } = (json ?? {}) as UncheckedBody
  const version = params?._meta?.[VERSION_MEMBER]
  if (version !== undefined && !olderVersions.includes(version as string)) return true
  const header = request.header('mcp-protocol-version')
  return header !== undefined && isSameOrLater(header, PROTOCOL_VERSION) && method !== 'initialize'
}

/** As JSON, exactly as it was sent. */
export function idJsonOf(id: unknown, text: string): string {
  if (typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id))) return idAsWritten(id, text)
  throw protocolError('invalid_jsonrpc_request', '"id" must be a string or a whole number, not null.')
}

export function versionIn(params: Record<string, unknown> | undefined): string {
  const meta = params?._meta
  if (!isObject(meta)) throw invalidMetadata('params._meta must be an object.')
  const version = meta[VERSION_MEMBER]
  if (typeof version !== 'string') throw invalidMetadata(`params._meta needs "${VERSION_MEMBER}" as a string.`)
  if (!isObject(meta[CAPABILITIES_MEMBER]))
    throw invalidMetadata(`params._meta needs "${CAPABILITIES_MEMBER}" as an object; {} if the client has none.`)
  return version
}

const invalidMetadata = (detail: string) => protocolError('invalid_request_metadata', detail)

/** Routers read the headers, so they must agree with the body. Repeated headers arrive joined, and match nothing. */
export function checkHeaders(request: PublicRequest, { method, params }: RpcRequest, version: string): void {
  const versionHeader = request.header('mcp-protocol-version')
  if (versionHeader !== version) throw mismatch('MCP-Protocol-Version', versionHeader, 'the version in params._meta')
  const methodHeader = request.header('mcp-method')
  if (methodHeader !== method) throw mismatch('Mcp-Method', methodHeader, '"method"')
  if (method !== 'tools/call' || typeof params?.name !== 'string') return
  const nameHeader = request.header('mcp-name')
  if (nameHeader === undefined || nameOf(nameHeader) !== params.name)
    throw mismatch('Mcp-Name', nameHeader, 'params.name')
}

const mismatch = (name: string, header: string | undefined, counterpart: string) =>
  protocolError(
    'header_mismatch',
    header === undefined
      ? `The header ${name} is missing; it must be the same as ${counterpart}.`
      : `The header ${name} is not the same as ${counterpart}, or is malformed.`,
  )

const ENCODED = /^=\?base64\?(.*)\?=$/
/** RFC 9110, 5.5, without its obsolete parts: visible ASCII, spaces and tabs. */
const PLAIN = /^[\t\x20-\x7e]*$/

function nameOf(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1]
  // In =?base64?= the markers overlap.
  if (encoded === undefined) return PLAIN.test(header) && header !== '=?base64?=' ? header : undefined
  const bytes = Buffer.from(encoded, 'base64')
  // Node ignores invalid base64, so only a round trip proves that the text is well-formed.
  return bytes.toString('base64') === encoded && isUtf8(bytes) ? bytes.toString() : undefined
}
