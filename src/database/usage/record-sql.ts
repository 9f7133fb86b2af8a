import { isoOf } from '../../lib/instant.ts'
import type { KeyRequests } from './request-recorder.ts'

interface RecordDialect {
  schema: string
  /** SQL that reads the JSON array in a parameter as the table `seen`. */
  table(parameter: number, columns: readonly string[]): string
  /** Locks the keys in their order, if the engine locks rows. */
  lock: string
}

const KEY = ['keyId', 'hash', 'prefix']
const SUM = [...KEY, 'refused', 'count', 'lastAt']
const STATE = [...KEY, 'usedAt', 'refusedAt', 'refusal', 'leakedAt', 'leakedIn']
export const REQUEST = [
  ...['keyId', 'hash', 'prefix', 'at', 'requestId', 'operation', 'tool', 'arguments', 'status', 'code', 'reason'],
  ...['outcome', 'ms', 'bytes', 'address', 'agent', 'omitted'],
]

/** Instants are milliseconds in memory and ISO text in the database. */
const toJson = (records: unknown[]): string =>
  JSON.stringify(records, (name, value) => (name.endsWith('At') && value !== null ? isoOf(value) : value))

export const stateAndSums = (batch: KeyRequests[]): [state: string, sums: string] => [
  toJson(
    batch.map(({ key, usedAt, refusedAt, refusal, leakedAt, leakedIn }) => ({
      ...{ ...key, usedAt, refusedAt, refusal, leakedAt, leakedIn },
    })),
  ),
  toJson(
    batch.flatMap(({ key, counts, lastAt }) =>
      [...counts].map(([refused, count]) => ({ ...key, refused, count, lastAt })),
    ),
  ),
]

type RequestRow = Record<string, string | number | null | undefined>

/** Oldest first, with a value for each column in `REQUEST`. */
export const requestRows = (batch: KeyRequests[]): RequestRow[] =>
  batch
    .flatMap(({ key, logged: { rows, omitted } }) =>
      rows.map((row, i) => ({ ...key, ...row, omitted: i === rows.length - 1 ? omitted : 0 })),
    )
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Nothing is recorded about a key that was purged, but keys outlive their workspaces. */
export function recordSql({ schema, table, lock }: RecordDialect) {
  // A token stands for a key or a connection. A damaged copy of a key has the same prefix.
  const keyOfSeen = `coalesce(seen."keyId",
    (SELECT id FROM ${schema}api_keys WHERE hash = seen.hash),
    (SELECT key_id FROM ${schema}connection_tokens WHERE hash = seen.hash),
    (SELECT id FROM ${schema}api_keys WHERE prefix = seen.prefix LIMIT 1))`
  // Another replica may have written a later one.
  const ifLater = (at: string, ...columns: string[]) =>
    columns.map((name) => `${name} = CASE WHEN s.${at} IS NULL OR s.${at} < k.${at} THEN k.${name} ELSE s.${name} END`)
  const state = [
    ...ifLater('last_used_at', 'last_used_at'),
    ...ifLater('last_refused_at', 'last_refused_at', 'last_refusal'),
    ...ifLater('leaked_at', 'leaked_at', 'leaked_in'),
  ]
  return {
    findKnown: `SELECT 1 FROM ${table(1, STATE)} WHERE ${keyOfSeen} IS NOT NULL LIMIT 1`,
    /** Several references may concern one key; each part of its state is in one of them. */
    writeState: `
      UPDATE ${schema}api_keys AS k SET ${state.join(', ')}
      FROM (
        SELECT latest.* FROM (
          SELECT known.id, max("usedAt") AS last_used_at, max("refusedAt") AS last_refused_at, max(refusal) AS last_refusal,
                 max("leakedAt") AS leaked_at, max("leakedIn") AS leaked_in
          FROM ${table(1, STATE)} JOIN ${schema}api_keys AS known ON known.id = ${keyOfSeen} GROUP BY known.id
        ) AS latest JOIN ${schema}api_keys AS locked ON locked.id = latest.id ORDER BY latest.id ${lock}
      ) AS s WHERE s.id = k.id`,
    writeSums: `
      INSERT INTO ${schema}key_use AS u (key_id, day, refused, count)
      SELECT k.id, ${schema}day_in_zone(max(seen."lastAt"), w.timezone), seen.refused, sum(seen.count)
      FROM ${table(2, SUM)} JOIN ${schema}api_keys AS k ON k.id = ${keyOfSeen}
      LEFT JOIN ${schema}workspaces AS w ON w.id = k.workspace_id
      GROUP BY k.id, w.timezone, seen.refused ORDER BY k.id, seen.refused
      ON CONFLICT (key_id, day, refused) DO UPDATE SET count = u.count + excluded.count`,
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
  }
}
