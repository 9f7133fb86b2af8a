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
  `SELECT body FROM list_items WHERE workspace_id = ? AND list = 'tasks' AND sort_key IS NOT NULL
     AND (shown_from IS NULL OR shown_from <= ?)
   ORDER BY sort_key, seq LIMIT 100`,
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

export const listTasks = (workspaceId) => ({
  tasks: currentTasks.all(workspaceId, Date.now()).map(({ body }) => JSON.parse(body)),
})

export const getWorkspace = (workspaceId) => ({ workspace: workspaceById.get(workspaceId) })

export const RATE_LIMIT = { requests: 1e9, windowMs: 60_000 }
