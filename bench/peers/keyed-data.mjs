// The same database file as Vitrine's, read as a team would read its own: each request looks up its key and its rows.
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export { port } from './data.mjs'

const db = new DatabaseSync(process.env.BENCH_DATABASE, { readOnly: true })

const keyByHash = db.prepare(
  `SELECT id, workspace_id AS workspaceId FROM api_keys
   WHERE hash = ? AND revoked_at IS NULL AND paused_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
)
const currentTasks = db.prepare(
  `SELECT id, title, details, due_at AS dueAt, book_key AS bookKey, assignee_name AS assigneeName,
     assignee_email AS assigneeEmail, source_session_id AS sourceSessionId, source_title AS sourceTitle,
     source_summary AS sourceSummary, source_kind AS sourceKind
   FROM tasks WHERE workspace_id = ? AND status = 'open' AND (snoozed_until IS NULL OR snoozed_until <= ?)
   ORDER BY due_at IS NULL, due_at, seq LIMIT 100`,
)
const workspaceById = db.prepare(
  `SELECT id, slug, name, timezone, currency_code AS currencyCode, country_code AS countryCode FROM workspaces WHERE id = ?`,
)

const now = () => new Date().toISOString()

/** Undefined unless the key is live. */
export function findKey(authorization = '') {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1]
  return token && keyByHash.get(createHash('sha256').update(token).digest('hex'), now())
}

export const listTasks = (workspaceId) => ({ tasks: currentTasks.all(workspaceId, now()) })

export const getWorkspace = (workspaceId) => ({ workspace: workspaceById.get(workspaceId) })

export const RATE_LIMIT = { requests: 1e9, windowMs: 60_000 }
