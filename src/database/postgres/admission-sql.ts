import { type Admission, type CurrentAccess, parsePermissions } from '../store.ts'

/** The quota columns are null if the request was not counted because its address is yet to be compared with `networks`. */
export interface AdmittedRow extends AccessRow {
  asked: string
  is_compared: boolean
  id: string
  workspace_id: string
  quota_limit: number
  quota_seconds: number
  counted: boolean
  /** This and later requests of the statement with the same key. */
  remaining: number
  used: number
  resets_at: string
}

export const toAdmission = (row: AdmittedRow, used: number): Admission => ({
  ...toAccess(row),
  keyId: row.id,
  workspaceId: row.workspace_id,
  quota: { limit: row.quota_limit, windowSeconds: row.quota_seconds },
  window: { used, resetsAt: Date.parse(row.resets_at) },
})

/** What a batch asks for: a hash, and the networks that the request's address is known to be within. */
export const askedFor = (keyHash: string, networks: string | null): string =>
  networks === null ? keyHash : `${keyHash} ${networks}`

export interface AccessRow {
  permissions: string
  /** Comma-separated; null means everywhere. */
  networks: string | null
  available: boolean
  revision: number
  now: string
}

export const toAccess = ({ permissions, available, revision, now }: AccessRow): CurrentAccess => ({
  permissions: new Set(parsePermissions(permissions)),
  available,
  revision,
  now: Date.parse(now),
})

/** The key that a token stands for: the key's own token, or the access token of a connection. */
const keyOf = (hash: string) => `(
  SELECT * FROM vitrine.api_keys WHERE hash = ${hash}
  UNION ALL SELECT of.* FROM vitrine.connection_tokens AS t JOIN vitrine.api_keys AS of ON of.id = t.key_id
  WHERE t.hash = ${hash} AND t.kind = 'access' AND t.expires_at > moment.now) AS k`

/** Whether the key `k` is valid at the time in `moment`. */
const KEY_IS_VALID = `k.revoked_at IS NULL AND k.paused_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > moment.now) AND (k.retires_at IS NULL OR k.retires_at > moment.now)`

/** If a window ends much later than a new one would, the clock was set back. */
const windowHasEnded = (endOfNew: string) => `now >= q.resets_at OR q.resets_at > ${endOfNew} + interval '1 day'`

/**
 * A key over its quota is looked up but not counted, so a flood of rejected requests writes nothing, and raising the
 * quota takes effect at once. A request is counted only if its address was compared with the key's current networks. The
 * time is the database's, so it is the same for all replicas. A window that is lost in a crash starts over. For a rejected
 * key, the usage is that of the start of the statement. A key that exceeds its quota while the statement waits for its row is counted.
 */
export const ADMIT = `
  WITH moment AS MATERIALIZED (
    SELECT coalesce($5::timestamptz, clock_timestamp()) AS now
  ), live AS MATERIALIZED (
    SELECT asked.asked, asked.requests, k.id, k.workspace_id, k.permissions, k.networks,
           k.networks IS NOT DISTINCT FROM nullif(substr(asked.asked, 66), '') AS is_compared,
           coalesce(k.rate_limit, $3::int) AS quota_limit, coalesce(k.rate_window_seconds, $4::int) AS quota_seconds,
           w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
    FROM unnest($1::text[], $2::int[]) AS asked (asked, requests)
    CROSS JOIN moment
    JOIN LATERAL ${keyOf('left(asked.asked, 64)')} ON ${KEY_IS_VALID}
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id
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
      -- Not merely later: while this statement waited for the row, another may have opened the window just after this
      -- one's moment.
      FROM (SELECT ${windowHasEnded('excluded.resets_at')} AS has_ended FROM moment) AS w
    )
    RETURNING key_id, used, resets_at
  )
  SELECT live.*, result.*, (sum(requests) FILTER (WHERE is_compared) OVER (
    PARTITION BY id ORDER BY asked ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING))::int AS remaining
  FROM live LEFT JOIN (
    SELECT *, true AS counted FROM counted UNION ALL SELECT *, false FROM refused
  ) AS result ON result.key_id = live.id`

/** Checks the same conditions as admission, also at the database's time. */
export const RECHECK = `
  SELECT k.permissions, k.networks, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN LATERAL ${keyOf('$1')} ON ${KEY_IS_VALID}
  LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
  LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id`

export const QUOTA_IN_USE = `
  SELECT q.used, q.resets_at
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN vitrine.quota_windows q ON q.key_id = $1
  WHERE NOT (${windowHasEnded("now + $3::int * interval '1 second'")})`
