import type { Resource } from '../../resources/define.ts'
import { version } from '../../version.ts'
import { instructionsFor } from '../instructions.ts'

export const PROTOCOL_VERSION = '2026-07-28'

/** Members of a request's `params._meta`. */
export const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities'

/** In `_meta` of every result. */
export const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'vitrine', version } }

/** Private, because the list of tools depends on the key. */
export const CACHING = { ttlMs: 300_000, cacheScope: 'private' }

/** Sent to a client's model once. */
export const discoveryInstructions = (resources: readonly Resource[]): string =>
  `${instructionsFor(resources)} _meta["vitrine/untrusted"] lists those members.`
