import { isWithin } from '../../lib/cidr.ts'
import type { Quota } from '../../lib/rate-windows.ts'
import { type Admission, type KeyRefusalReason, permissionSet, type QuotaColumns, quotaOf } from '../admission.ts'

export interface CachedKey extends Omit<Admission, 'quota' | 'window' | 'now'> {
  quota: Quota | null
  /** Comma-separated; null means everywhere. */
  networks: string | null
  isRevoked: boolean
  isPaused: boolean
  /** The earlier of its expiry and the end of its rotation. */
  endsAt: number
  tokenEndsAt: number
}

/** By the key's own token, or by the access token of a connection. */
export const FIND_KEY = `
  SELECT k.id, k.client_id, k.workspace_id, k.permissions, k.only_rows, k.rate_limit, k.rate_window_seconds, k.networks, k.expires_at, k.retires_at,
         k.token_expires_at, k.revoked_at, k.paused_at, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision
  FROM (
    SELECT *, NULL AS token_expires_at FROM api_keys WHERE hash = ?1
    UNION ALL SELECT of.*, t.expires_at FROM connection_tokens t CROSS JOIN api_keys of ON of.id = t.key_id
    WHERE t.hash = ?1 AND t.kind = 'access') AS k
  LEFT JOIN workspaces w ON w.id = k.workspace_id
  LEFT JOIN revisions r ON r.workspace_id = k.workspace_id`

type Instants = Record<'expires_at' | 'retires_at' | 'token_expires_at' | 'revoked_at' | 'paused_at', string | null>

export interface AdmissionRow extends QuotaColumns, Instants {
  id: string
  client_id: string | null
  workspace_id: string
  permissions: string
  only_rows: string | null
  networks: string | null
  available: number
  revision: number
}

/** PostgreSQL has the same rule in SQL, and a test compares both with `lifeOf`. */
export function refusalReasonOf(
  key: CachedKey,
  now: number,
  address: string | undefined,
): KeyRefusalReason | undefined {
  if (key.isRevoked) return 'revoked'
  if (key.endsAt <= now) return 'expired'
  if (key.isPaused) return 'paused'
  if (key.tokenEndsAt <= now) return 'token_expired'
  return key.networks === null || isWithin(key.networks, address) ? undefined : 'network'
}

/** In milliseconds; null means never. */
const timeOrNever = (instant: string | null) => (instant === null ? Number.POSITIVE_INFINITY : Date.parse(instant))

export const toCachedKey = (row: AdmissionRow): CachedKey => ({
  keyId: row.id,
  isConnection: row.client_id !== null,
  workspaceId: row.workspace_id,
  permissions: permissionSet(row.permissions),
  only: row.only_rows,
  quota: quotaOf(row),
  networks: row.networks,
  isRevoked: row.revoked_at !== null,
  isPaused: row.paused_at !== null,
  endsAt: Math.min(timeOrNever(row.expires_at), timeOrNever(row.retires_at)),
  tokenEndsAt: timeOrNever(row.token_expires_at),
  available: row.available === 1,
  revision: row.revision,
})
