import { isObject } from '../../lib/checker.ts'
import { ProtocolError } from './errors.ts'

export const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities'

/** The metadata of a request, once it has what the protocol demands of every request. */
interface RequestMetadata {
  [VERSION_MEMBER]: string
}

export function metadataIn(params: Record<string, unknown> | undefined): RequestMetadata {
  const meta = params?._meta
  if (!isObject(meta)) throw invalidMetadata('params._meta must be an object.')
  if (typeof meta[VERSION_MEMBER] !== 'string')
    throw invalidMetadata(`params._meta needs "${VERSION_MEMBER}" as a string.`)
  if (!isObject(meta[CAPABILITIES_MEMBER]))
    throw invalidMetadata(`params._meta needs "${CAPABILITIES_MEMBER}" as an object; {} if the client has none.`)
  return meta as unknown as RequestMetadata
}

const invalidMetadata = (detail: string) => new ProtocolError('invalid_request_metadata', detail)
