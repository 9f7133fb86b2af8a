import { version } from '../../version.ts'

export const PROTOCOL_VERSION = '2026-07-28'

/** How long a client may keep what says which tools there are. */
const TTL_MS = 300_000

/** In `_meta` of every result. */
export const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'vitrine', version } }

/** Members of every result that a client may keep. Private: which tools there are depends on the key. */
export const CACHING = { ttlMs: TTL_MS, cacheScope: 'private' }
