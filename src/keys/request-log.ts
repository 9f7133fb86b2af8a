import type { SqlConnection, SqlValue } from '../database/connection.ts'
import type { OperatorStore } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { UNPACED, untilDone } from './pace.ts'

/** Contains names of arguments, never their values, and no bodies. */
export interface LoggedRequest {
  id: number
  at: string
  requestId: string
  keyId: string
  /** Such as `GET /tasks` or `POST /v2/mcp`. */
  operation: string
  /** For MCP, the tool, or the method if it does not call one. */
  tool: string | null
  /** The names of the tool's arguments, sorted and separated by commas. */
  arguments: string | null
  /** Null if the client disconnected. */
  status: number | null
  /** A problem's code, or the code of a JSON-RPC error. */
  code: string | null
  refused: string | null
  ms: number
  bytes: number
  address: string | null
  agent: string | null
  /** How many of the key's requests after this one were left out, because there were too many. */
  omitted: number
}

export const requestOutcomes = ['ok', 'refused', 'failed'] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

export interface RequestFilter {
  nowMs: number
  workspaceId: string
  keyId?: string | undefined
  id?: number | undefined
  outcome?: RequestOutcome | undefined
  /** Instants as `toISOString` formats them; `from` is included, `to` is not. */
  from?: string | undefined
  to?: string | undefined
}

/** The database's triggers remove older ones only while requests are logged. */
const MAX_AGE_MS = 7 * DAY_MS
export const oldestLogged = (nowMs: number): string => isoOf(nowMs - MAX_AGE_MS)

/** Newest first. The next page is `before` the id of this page's last request. */
export async function readRequests(
  tx: SqlConnection,
  { nowMs, workspaceId, keyId, id, outcome, from, to }: RequestFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<LoggedRequest[]> {
  const conditions: [sql: string, ...values: (SqlValue | undefined)[]][] = [
    // A key has few requests. The concatenation keeps the engines from reading all of its workspace's, in order, to find them.
    [keyId === undefined ? 'workspace_id = ?' : "workspace_id || '' = ?", workspaceId],
    ['key_id = ?', keyId],
    ['id = ?', id],
    [outcome === 'ok' ? 'outcome = ?' : "outcome = ? AND outcome <> 'ok'", outcome],
    ['at >= ?', oldestLogged(nowMs)],
    ['at >= ?', from],
    ['at < ?', to],
    // If that request has been removed in the meantime, continues from the one recorded before it.
    ['(at, id) < ((SELECT at FROM request_log WHERE id <= ? ORDER BY id DESC LIMIT 1), ?)', before, before],
  ]
  const used = conditions.filter(([, value]) => value !== undefined)
  const rows = await tx.all<LoggedRequest>(
    `SELECT id, at, request_id AS "requestId", key_id AS "keyId", operation, tool, arguments, status, code, refused,
            ms, bytes, address, agent, omitted
     FROM request_log WHERE ${used.map(([sql]) => sql).join(' AND ')} ORDER BY at DESC, id DESC LIMIT ${limit}`,
    ...used.flatMap(([, ...values]) => values as SqlValue[]),
  )
  // PostgreSQL's fractions are read as text.
  return rows.map((row) => ({ ...row, ms: Number(row.ms) }))
}

/** Per transaction, so that other writers wait only milliseconds. */
const BATCH_ROWS = 500

export function removeOldRequests(store: Pick<OperatorStore, 'transaction'>, pace = UNPACED): Promise<void> {
  const first = `SELECT id, at FROM request_log ORDER BY id LIMIT ${BATCH_ROWS}`
  const remove = `DELETE FROM request_log WHERE id IN (SELECT id FROM (${first}) AS logged WHERE at < ?)`
  return untilDone(pace, async () => (await store.transaction((tx) => tx.run(remove, oldestLogged(tx.nowMs)))) === 0)
}
