import { LATER_SECONDS } from '../../lib/rate-windows.ts'
import {
  type Admission,
  type CurrentAccess,
  type KeyRefusalReason,
  permissionSet,
  type RefusedKey,
} from '../admission.ts'

/** The quota columns are null if the request was not counted because its address has not been compared with `networks` yet. */
export interface AdmittedRow extends AccessRow {
  asked: string
  is_compared: boolean
  is_connection: boolean
  quota_limit: number
  quota_seconds: number
  counted: boolean
  /** How many requests in the batch, from this one on, use the same key. */
  remaining: number
  used: number
  resets_at: string
}

export const toAdmission = (row: AdmittedRow, used: number): Admission => ({
  ...toAccess(row),
  keyId: row.id,
  isConnection: row.is_connection,
  workspaceId: row.workspace_id,
  quota: { limit: row.quota_limit, windowSeconds: row.quota_seconds },
  window: { used, resetsAt: Date.parse(row.resets_at) },
})

/** What a batch asks for: a hash, and the networks that the request's address is known to be within. */
export const askedFor = (keyHash: string, networks: string | null): string =>
  networks === null ? keyHash : `${keyHash} ${networks}`

export interface AccessRow {
  id: string
  workspace_id: string
  /** Null if the key is valid, apart from its networks. */
  refusal: KeyRefusalReason | null
  permissions: string
  only_rows: string | null
  /** Comma-separated; null means everywhere. */
  networks: string | null
  available: boolean
  revision: number
  now: string
}

export const toAccess = ({ permissions, only_rows, available, revision, now }: AccessRow): CurrentAccess => ({
  permissions: permissionSet(permissions),
  only: only_rows,
  available,
  revision,
  now: Date.parse(now),
})

export const toRefused = ({ id, workspace_id }: AccessRow, reason: KeyRefusalReason): RefusedKey => ({
  keyId: id,
  workspaceId: workspace_id,
  reason,
})

/** The key that a token stands for: the key's own token, or the access token of a connection. */
const keyOf = (hash: string) => `(
  SELECT *, NULL::timestamptz AS token_expires_at FROM vitrine.api_keys WHERE hash = ${hash}
  UNION ALL SELECT of.*, t.expires_at FROM vitrine.connection_tokens AS t JOIN vitrine.api_keys AS of ON of.id = t.key_id
  WHERE t.hash = ${hash} AND t.kind = 'access') AS k`

/** Why the key `k` is not valid at the time in `moment`. */
const REFUSAL = `CASE
  WHEN k.revoked_at IS NOT NULL THEN 'revoked'
  WHEN k.expires_at <= moment.now OR k.retires_at <= moment.now THEN 'expired'
  WHEN k.paused_at IS NOT NULL THEN 'paused'
  WHEN k.token_expires_at <= moment.now THEN 'token_expired' END`

const windowHasEnded = (endOfNew: string) =>
  `now >= q.resets_at OR q.resets_at > ${endOfNew} + interval '${LATER_SECONDS} seconds'`

/**
 * A key over its quota is looked up but not counted, so a flood of rejected requests writes nothing, and raising the
 * quota takes effect at once. A request is counted only if its address was compared with the key's current networks. The
 * time is the database's, so all replicas agree on it. A window that is lost in a crash starts over. For a rejected
 * key, the usage is the one at the start of the statement. A key that exceeds its quota while the statement waits for its row is counted.
 */
export const ADMIT = `
  WITH moment AS MATERIALIZED (
    SELECT coalesce($5::timestamptz, clock_timestamp()) AS now
  ), found AS MATERIALIZED (
    SELECT asked.asked, asked.requests, k.id, k.client_id IS NOT NULL AS is_connection, k.workspace_id, k.permissions, k.only_rows, k.networks, ${REFUSAL} AS refusal,
           k.networks IS NOT DISTINCT FROM nullif(substr(asked.asked, 66), '') AS is_compared,
           coalesce(k.rate_limit, $3::int) AS quota_limit, coalesce(k.rate_window_seconds, $4::int) AS quota_seconds,
           w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
    FROM unnest($1::text[], $2::int[]) AS asked (asked, requests)
    CROSS JOIN moment
    JOIN LATERAL ${keyOf('left(asked.asked, 64)')} ON true
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id
  ), live AS MATERIALIZED (
    SELECT * FROM found WHERE refusal IS NULL
  ), refused AS MATERIALIZED (
    SELECT DISTINCT q.key_id, q.used, q.resets_at FROM live JOIN vitrine.quota_windows q ON q.key_id = live.id
    WHERE q.used > quota_limit AND NOT (${windowHasEnded("now + quota_seconds * interval '1 second'")})
  ), counted AS (
    INSERT INTO vitrine.quota_windows AS q (key_id, resets_at, used)
    -- A connection may be using several access tokens.
    SELECT id, now + quota_seconds * interval '1 second', sum(requests) FROM live
    WHERE is_compared AND NOT EXISTS (SELECT FROM refused WHERE refused.key_id = live.id)
    GROUP BY id, now, quota_seconds
    ORDER BY id -- two statements that lock the same keys do so in the same order
    ON CONFLICT (key_id) DO UPDATE SET (used, resets_at) = (
      SELECT CASE WHEN has_ended THEN excluded.used ELSE q.used + excluded.used END,
             CASE WHEN has_ended THEN excluded.resets_at ELSE q.resets_at END
      FROM (SELECT ${windowHasEnded('excluded.resets_at')} AS has_ended FROM moment) AS w
    )
    RETURNING key_id, used, resets_at
  )
  SELECT found.*, result.*, (sum(requests) FILTER (WHERE is_compared AND refusal IS NULL) OVER (
    PARTITION BY id ORDER BY asked ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING))::int AS remaining
  FROM found LEFT JOIN (
    SELECT *, true AS counted FROM counted UNION ALL SELECT *, false FROM refused
  ) AS result ON result.key_id = found.id`

/** Checks the same conditions as admission, also at the database's time. */
export const RECHECK = `
  SELECT k.id, k.workspace_id, ${REFUSAL} AS refusal, k.permissions, k.only_rows, k.networks, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN LATERAL ${keyOf('$1')} ON true
  LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
  LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id`

export const QUOTA_IN_USE = `
  SELECT q.used, q.resets_at
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN vitrine.quota_windows q ON q.key_id = $1
  WHERE NOT (${windowHasEnded("now + $3::int * interval '1 second'")})`
