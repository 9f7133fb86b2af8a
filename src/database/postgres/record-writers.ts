import type { WriteIncidents } from '../key-recorders.ts'
import type { WriteUses } from '../use-recorder.ts'
import type { SessionPool } from './session-pool.ts'

export const useWriter =
  (pool: SessionPool): WriteUses =>
  async (uses) => {
    const callers = uses.flatMap((use) => use.callers.map((caller) => ({ keyId: use.keyId, ...caller })))
    await pool.query({
      name: 'write uses',
      text: WRITE_USES,
      values: [
        uses.map(({ keyId }) => keyId),
        uses.map(({ count }) => count),
        uses.map(({ refused }) => refused),
        uses.map(({ firstAt }) => firstAt),
        uses.map(({ firstClient }) => firstClient),
        uses.map(({ lastAt }) => lastAt),
        uses.map(({ lastClient }) => lastClient),
        callers.map(({ keyId }) => keyId),
        callers.map(({ address }) => address),
        callers.map(({ agent }) => agent),
        callers.map(({ count }) => count),
        callers.map(({ firstAt }) => firstAt),
        callers.map(({ lastAt }) => lastAt),
      ],
    })
    return true
  }

/** One statement, so all or nothing is written. Replicas that write the same keys lock them in the same order. */
const WRITE_USES = `
  WITH called AS (
    INSERT INTO vitrine.key_callers AS c (key_id, address, agent, count, first_at, last_at)
    SELECT * FROM unnest($8::text[], $9::text[], $10::text[], $11::bigint[], $12::timestamptz[], $13::timestamptz[])
      AS seen (key_id, address, agent, count, first_at, last_at)
    ORDER BY key_id, address, agent
    ON CONFLICT (key_id, address, agent) DO UPDATE SET
      count = c.count + excluded.count,
      first_at = least(c.first_at, excluded.first_at),
      last_at = greatest(c.last_at, excluded.last_at)
  )
  INSERT INTO vitrine.key_use AS u (key_id, day, count, refused, first_at, first_client, last_at, last_client)
  SELECT used.key_id, vitrine.day_in_zone(used.last_at, w.timezone), used.count, used.refused,
         used.first_at, used.first_client, used.last_at, used.last_client
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::text[])
    AS used (key_id, count, refused, first_at, first_client, last_at, last_client)
  LEFT JOIN vitrine.api_keys k ON k.id = used.key_id
  LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
  ORDER BY used.key_id
  ON CONFLICT (key_id, day) DO UPDATE SET
    count = u.count + excluded.count,
    refused = u.refused + excluded.refused,
    first_at = least(u.first_at, excluded.first_at),
    first_client = CASE WHEN u.first_at <= excluded.first_at THEN u.first_client ELSE excluded.first_client END,
    last_at = greatest(u.last_at, excluded.last_at),
    last_client = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_client ELSE u.last_client END`

/** Looks up the key of each report, and writes those that have one. Several may be of one key. */
export const incidentWriter =
  (pool: SessionPool): WriteIncidents =>
  async (incidents) => {
    await pool.query({
      name: 'write incidents',
      text: WRITE_INCIDENTS,
      values: [
        incidents.map(({ keyId = null }) => keyId),
        incidents.map(({ hash = null }) => hash),
        incidents.map(({ prefix = null }) => prefix),
        incidents.map(({ kind }) => kind),
        incidents.map(({ count }) => count),
        incidents.map(({ firstAt }) => firstAt),
        incidents.map(({ lastAt }) => lastAt),
        incidents.map(({ client }) => client),
      ],
    })
    return true
  }

const WRITE_INCIDENTS = `
  WITH seen AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[],
                         $7::timestamptz[], $8::text[])
      AS s (key_id, hash, prefix, kind, count, first_at, last_at, client)
  ), named AS (
    SELECT coalesce(seen.key_id, exact.id, alike.id) AS key_id, seen.count, seen.first_at, seen.last_at, seen.client,
           CASE WHEN seen.kind <> 'unauthorized' THEN seen.kind
                WHEN exact.id IS NULL THEN 'unknown'
                WHEN exact.revoked_at IS NOT NULL THEN 'revoked'
                WHEN exact.expires_at <= seen.last_at OR exact.retires_at <= seen.last_at THEN 'expired'
                WHEN exact.paused_at IS NOT NULL THEN 'paused' END AS kind
    FROM seen
    LEFT JOIN vitrine.api_keys exact ON exact.hash = seen.hash
    LEFT JOIN LATERAL (
      SELECT id FROM vitrine.api_keys
      WHERE prefix = seen.prefix AND seen.key_id IS NULL AND exact.id IS NULL LIMIT 1
    ) alike ON true
  ), dated AS (
    SELECT named.*, vitrine.day_in_zone(named.last_at, w.timezone) AS day
    FROM named
    LEFT JOIN vitrine.api_keys k ON k.id = named.key_id
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    WHERE named.key_id IS NOT NULL AND named.kind IS NOT NULL
  )
  INSERT INTO vitrine.key_incidents AS i (key_id, day, kind, count, first_at, last_at, client)
  SELECT key_id, day, kind, sum(count), min(first_at), max(last_at), (array_agg(client ORDER BY last_at DESC))[1]
  FROM dated
  GROUP BY key_id, day, kind
  ORDER BY key_id, day, kind -- replicas that write the same keys lock them in the same order
  ON CONFLICT (key_id, day, kind) DO UPDATE SET
    count = i.count + excluded.count,
    last_at = greatest(i.last_at, excluded.last_at),
    client = CASE WHEN excluded.last_at >= i.last_at THEN excluded.client ELSE i.client END`
