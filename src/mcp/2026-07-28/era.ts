import type { PublicRequest } from '../../operation.ts'
import type { Message } from '../json-rpc.ts'
import { isSameOrLater } from '../protocol-version.ts'
import { PROTOCOL_VERSION } from './protocol.ts'
import { VERSION_MEMBER } from './request-metadata.ts'

/** As much of a body as tells its era; whether it is a request at all is checked later. */
interface Loose {
  method?: unknown
  params?: { _meta?: Record<string, unknown> | null } | null
}

/**
 * Whether a request is of this era: its metadata names a version other than the older ones, or its header names this version or
 * a later one. A handshake that only the header makes new is an old client's, which offers its newest version there.
 */
export function isModern({ json }: Message, request: PublicRequest, olderVersions: readonly string[]): boolean {
  const { method, params } = (json ?? {}) as Loose
  const named = params?._meta?.[VERSION_MEMBER]
  if (named !== undefined && !olderVersions.includes(named as string)) return true
  const header = request.header('mcp-protocol-version')
  return header !== undefined && isSameOrLater(header, PROTOCOL_VERSION) && method !== 'initialize'
}
