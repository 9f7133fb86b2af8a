import { isoOf } from '../../lib/instant.ts'
import type { KeyIncident } from './recorded.ts'
import type { RecordedIncident, Use } from './use-recorder.ts'

interface RecordDialect {
  schema: string
  /** SQL that reads the JSON array in a parameter as the table `seen`. */
  table(parameter: number, columns: readonly string[]): string
}

const USE = ['keyId', 'count', 'refused', 'firstAt', 'firstClient', 'lastAt', 'lastClient']
const CALLER = ['keyId', 'address', 'agent', 'count', 'firstAt', 'lastAt']
export const REQUEST = [
  ...['keyId', 'hash', 'prefix', 'at', 'requestId', 'operation', 'tool', 'arguments', 'status', 'code', 'reason'],
  ...['outcome', 'ms', 'bytes', 'address', 'agent', 'omitted'],
]
const INCIDENT = ['keyId', 'hash', 'prefix', 'kind', 'count', 'firstAt', 'lastAt', 'client']

/** Instants are milliseconds in memory and ISO text in the database. */
const toJson = (records: unknown[]): string =>
  JSON.stringify(records, (name, value) => (name.endsWith('At') ? isoOf(value) : value))

export const useParameters = (uses: Use[]): [uses: string, callers: string] => [
  toJson(uses.map(({ callers, logged, ...use }) => use)),
  toJson(uses.flatMap(({ keyId, callers }) => callers.map((caller) => ({ keyId, ...caller })))),
]

export const incidentParameters = (incidents: RecordedIncident[]): [incidents: string] => [
  toJson(incidents.map(({ logged, ...incident }) => incident)),
]

/** Oldest first, with a value for each column in `REQUEST`. */
export const requestRows = (
  entries: (Use | RecordedIncident)[],
): Record<string, string | number | null | undefined>[] =>
  entries
    .flatMap(({ logged: { rows, omitted }, ...entry }) => {
      const { keyId, hash, prefix } = entry as KeyIncident
      return rows.map((row, i) => ({ keyId, hash, prefix, ...row, omitted: i === rows.length - 1 ? omitted : 0 }))
    })
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Writes rows in key order, so that replicas cannot deadlock. */
export function recordSql({ schema, table }: RecordDialect) {
  // A token stands for a key or a connection. A damaged copy of a key has the same prefix.
  const keyOfSeen = `coalesce(seen."keyId",
    (SELECT id FROM ${schema}api_keys WHERE hash = seen.hash),
    (SELECT key_id FROM ${schema}connection_tokens WHERE hash = seen.hash),
    (SELECT id FROM ${schema}api_keys WHERE prefix = seen.prefix LIMIT 1))`
  const known = `WITH known AS (SELECT seen.*, ${keyOfSeen} AS id FROM ${table(1, INCIDENT)}
    )`
  const counted = `${known}, counted AS (
      SELECT known.id, known.kind, known.count, known."firstAt", known."lastAt", known.client,
             ${schema}day_in_zone(known."lastAt", w.timezone) AS day
      FROM known
      JOIN ${schema}api_keys AS k ON k.id = known.id
      LEFT JOIN ${schema}workspaces AS w ON w.id = k.workspace_id
      WHERE known.kind <> 'token_expired'
    )`
  return {
    // Nothing is recorded about a key that was purged, but keys outlive their workspaces.
    writeUses: `
      INSERT INTO ${schema}key_use AS u (key_id, day, workspace_id, count, refused, first_at, first_client, last_at, last_client)
      SELECT seen."keyId", ${schema}day_in_zone(seen."lastAt", w.timezone), k.workspace_id, seen.count, seen.refused,
             seen."firstAt", seen."firstClient", seen."lastAt", seen."lastClient"
      FROM ${table(1, USE)}
      JOIN ${schema}api_keys AS k ON k.id = seen."keyId"
      LEFT JOIN ${schema}workspaces AS w ON w.id = k.workspace_id
      WHERE true ORDER BY seen."keyId"
      ON CONFLICT (key_id, day) DO UPDATE SET
        workspace_id = excluded.workspace_id,
        count = u.count + excluded.count,
        refused = u.refused + excluded.refused,
        first_at = CASE WHEN u.first_at <= excluded.first_at THEN u.first_at ELSE excluded.first_at END,
        first_client = CASE WHEN u.first_at <= excluded.first_at THEN u.first_client ELSE excluded.first_client END,
        last_at = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_at ELSE u.last_at END,
        last_client = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_client ELSE u.last_client END`,
    writeCallers: `
      INSERT INTO ${schema}key_callers AS c (key_id, address, agent, count, first_at, last_at)
      SELECT "keyId", address, agent, count, "firstAt", "lastAt" FROM ${table(2, CALLER)}
      WHERE "keyId" IN (SELECT id FROM ${schema}api_keys) ORDER BY "keyId", address, agent
      ON CONFLICT (key_id, address, agent) DO UPDATE SET
        count = c.count + excluded.count,
        first_at = CASE WHEN c.first_at <= excluded.first_at THEN c.first_at ELSE excluded.first_at END,
        last_at = CASE WHEN excluded.last_at >= c.last_at THEN excluded.last_at ELSE c.last_at END`,
    findIncident: `${known} SELECT 1 FROM known WHERE id IS NOT NULL LIMIT 1`,
    /** Numbers the requests of each key, for the bounds that the database's triggers enforce. */
    writeRequests: (seen: string) => `
      INSERT INTO ${schema}request_log (workspace_id, key_id, number, at, request_id, operation, tool, arguments, status, code,
                                        refused, outcome, ms, bytes, address, agent, omitted)
      SELECT k.workspace_id, k.id,
             coalesce((SELECT l.number FROM ${schema}request_log AS l WHERE l.key_id = k.id ORDER BY l.id DESC LIMIT 1), 0)
               + row_number() OVER (PARTITION BY k.id ORDER BY seen.at),
             seen.at, "requestId", operation, tool, arguments, status, code, reason, outcome, ms, bytes, address, agent, omitted
      FROM ${seen} JOIN ${schema}api_keys AS k ON k.id = ${keyOfSeen}
      ORDER BY seen.at`,
    counted,
    // Several incidents may concern one key; the client is taken from the latest.
    writeIncidents: `
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
