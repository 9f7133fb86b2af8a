import type { ReportedIncident, Use } from './use-recorder.ts'

interface RecordDialect {
  schema: string
  /** SQL that reads the JSON array in a parameter as the table `seen`. */
  table(parameter: number, columns: readonly string[]): string
}

const USE = ['keyId', 'count', 'refused', 'firstAt', 'firstClient', 'lastAt', 'lastClient']
const CALLER = ['keyId', 'address', 'agent', 'count', 'firstAt', 'lastAt']
const INCIDENT = ['keyId', 'hash', 'prefix', 'kind', 'count', 'firstAt', 'lastAt', 'client']

/** Instants are milliseconds in memory and ISO text in the database. */
const toJson = (records: unknown[]): string =>
  JSON.stringify(records, (name, value) => (name.endsWith('At') ? new Date(value).toISOString() : value))

export const useParameters = (uses: Use[]): [uses: string, callers: string] => [
  toJson(uses.map(({ callers, ...use }) => use)),
  toJson(uses.flatMap(({ keyId, callers }) => callers.map((caller) => ({ keyId, ...caller })))),
]

export const incidentParameters = (incidents: ReportedIncident[]): [incidents: string] => [toJson(incidents)]

/** Writes rows in key order, so that replicas cannot deadlock. */
export function recordSql({ schema, table }: RecordDialect) {
  // `exact` is the key that was sent, or that the sent token of a connection stands for; the last subquery finds a key with the same
  // prefix. An access token that has expired is no incident: its client exchanges it for another.
  const counted = `
    WITH known AS (
      SELECT coalesce(seen."keyId", exact.id, (SELECT id FROM ${schema}api_keys WHERE prefix = seen.prefix LIMIT 1)) AS id,
             CASE WHEN seen.kind <> 'unauthorized' THEN seen.kind
                  WHEN exact.id IS NULL THEN 'unknown'
                  WHEN exact.revoked_at IS NOT NULL THEN 'revoked'
                  WHEN exact.expires_at <= seen."lastAt" OR exact.retires_at <= seen."lastAt" THEN 'expired'
                  WHEN exact.paused_at IS NOT NULL THEN 'paused'
                  WHEN exact.networks IS NOT NULL AND (exact.hash = seen.hash OR EXISTS (
                    SELECT 1 FROM ${schema}connection_tokens AS t WHERE t.hash = seen.hash AND t.kind = 'access' AND t.expires_at > seen."lastAt"
                  )) THEN 'network' END AS kind,
             seen.count, seen."firstAt", seen."lastAt", seen.client
      FROM ${table(1, INCIDENT)} LEFT JOIN ${schema}api_keys AS exact ON exact.id = coalesce(
        (SELECT id FROM ${schema}api_keys WHERE hash = seen.hash),
        (SELECT key_id FROM ${schema}connection_tokens WHERE hash = seen.hash))
    ), counted AS (
      SELECT known.*, ${schema}day_in_zone(known."lastAt", w.timezone) AS day
      FROM known
      LEFT JOIN ${schema}api_keys AS k ON k.id = known.id
      LEFT JOIN ${schema}workspaces AS w ON w.id = k.workspace_id
      WHERE known.id IS NOT NULL AND known.kind IS NOT NULL
    )`
  return {
    writeUses: `
      INSERT INTO ${schema}key_use AS u (key_id, day, count, refused, first_at, first_client, last_at, last_client)
      SELECT seen."keyId", ${schema}day_in_zone(seen."lastAt", w.timezone), seen.count, seen.refused,
             seen."firstAt", seen."firstClient", seen."lastAt", seen."lastClient"
      FROM ${table(1, USE)}
      LEFT JOIN ${schema}api_keys AS k ON k.id = seen."keyId"
      LEFT JOIN ${schema}workspaces AS w ON w.id = k.workspace_id
      WHERE true ORDER BY seen."keyId"
      ON CONFLICT (key_id, day) DO UPDATE SET
        count = u.count + excluded.count,
        refused = u.refused + excluded.refused,
        first_at = CASE WHEN u.first_at <= excluded.first_at THEN u.first_at ELSE excluded.first_at END,
        first_client = CASE WHEN u.first_at <= excluded.first_at THEN u.first_client ELSE excluded.first_client END,
        last_at = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_at ELSE u.last_at END,
        last_client = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_client ELSE u.last_client END`,
    writeCallers: `
      INSERT INTO ${schema}key_callers AS c (key_id, address, agent, count, first_at, last_at)
      SELECT "keyId", address, agent, count, "firstAt", "lastAt" FROM ${table(2, CALLER)}
      WHERE true ORDER BY "keyId", address, agent
      ON CONFLICT (key_id, address, agent) DO UPDATE SET
        count = c.count + excluded.count,
        first_at = CASE WHEN c.first_at <= excluded.first_at THEN c.first_at ELSE excluded.first_at END,
        last_at = CASE WHEN excluded.last_at >= c.last_at THEN excluded.last_at ELSE c.last_at END`,
    findIncident: `${counted} SELECT 1 FROM counted LIMIT 1`,
    // Several reports may concern one key; the client is taken from the latest.
    writeIncidents: `${counted}
      INSERT INTO ${schema}key_incidents AS i (key_id, day, kind, count, first_at, last_at, client)
      SELECT id, day, kind, sum(count), min("firstAt"), max("lastAt"), min(last_client)
      FROM (SELECT *, first_value(client) OVER (PARTITION BY id, day, kind ORDER BY "lastAt" DESC) AS last_client FROM counted) AS c
      GROUP BY id, day, kind
      ORDER BY id, day, kind
      ON CONFLICT (key_id, day, kind) DO UPDATE SET
        count = i.count + excluded.count,
        last_at = CASE WHEN excluded.last_at >= i.last_at THEN excluded.last_at ELSE i.last_at END,
        client = CASE WHEN excluded.last_at >= i.last_at THEN excluded.client ELSE i.client END`,
  }
}
