import type { Rules } from './checker.ts'

/**
 * What a history is held against. `revokedIs401` is off for as long as a revoked key that is over its quota gets 429 on
 * PostgreSQL.
 */
export const rules: Rules = { revokedIs401: false }
