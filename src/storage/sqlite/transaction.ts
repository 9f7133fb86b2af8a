import type { DatabaseSync } from 'node:sqlite'
import type {
  AuditRecord,
  KeyRecord,
  KeyUse,
  MemberRecord,
  TaskStaging,
  Transaction,
  WorkspaceRecord,
} from '../store.ts'
import type { SqliteTaskStaging } from './task-staging.ts'
import { WORKSPACE_COLUMNS } from './workspace-columns.ts'

/** The operator's questions and changes, in SQL. SqliteOperatorStore begins and ends the transaction around them. */
export class SqliteTransaction implements Transaction {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  async workspaces(): Promise<WorkspaceRecord[]> {
    return this.#db.prepare(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces ORDER BY slug`).all() as never
  }

  async workspaceBySlug(slug: string): Promise<WorkspaceRecord | undefined> {
    return this.#db.prepare(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE slug = ?`).get(slug) as never
  }

  async insertWorkspace(w: WorkspaceRecord): Promise<void> {
    this.#db
      .prepare('INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(w.id, w.slug, w.name, w.timezone, w.currencyCode, w.countryCode, w.createdAt, w.archivedAt)
  }

  async setArchived(workspaceId: string, archivedAt: string | null): Promise<void> {
    this.#db.prepare('UPDATE workspaces SET archived_at = ? WHERE id = ?').run(archivedAt, workspaceId)
  }

  async keys(workspaceId: string): Promise<(KeyRecord & KeyUse)[]> {
    const rows = this.#db.prepare(`${KEYS} WHERE workspace_id = ? ORDER BY created_at, id`).all(workspaceId)
    return (rows as unknown as KeyRow[]).map(toKey)
  }

  async key(id: string): Promise<KeyRecord | undefined> {
    const row = this.#db.prepare(`${KEYS} WHERE id = ?`).get(id) as unknown as KeyRow | undefined
    return row && toKey(row)
  }

  async insertKey(key: KeyRecord, hash: string): Promise<void> {
    this.#db
      .prepare(`
        INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds,
                              created_by, created_at, expires_at, revoked_at, replaces)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(
        key.id,
        key.workspaceId,
        hash,
        key.prefix,
        key.label,
        key.permissions.join(','),
        key.quota?.limit ?? null,
        key.quota?.windowSeconds ?? null,
        key.createdBy,
        key.createdAt,
        key.expiresAt,
        key.revokedAt,
        key.replaces,
      )
  }

  async revokeKey(id: string, revokedAt: string): Promise<void> {
    this.#db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ?').run(revokedAt, id)
  }

  async expireKey(id: string, expiresAt: string): Promise<void> {
    this.#db.prepare('UPDATE api_keys SET expires_at = ? WHERE id = ?').run(expiresAt, id)
  }

  async members(workspaceId: string): Promise<MemberRecord[]> {
    return this.#db
      .prepare('SELECT email, role, added_at AS addedAt FROM members WHERE workspace_id = ? ORDER BY email')
      .all(workspaceId) as never
  }

  async putMember(workspaceId: string, member: MemberRecord): Promise<void> {
    this.#db
      .prepare('INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role')
      .run(workspaceId, member.email, member.role, member.addedAt)
  }

  async removeMember(workspaceId: string, email: string): Promise<boolean> {
    const removal = this.#db.prepare('DELETE FROM members WHERE workspace_id = ? AND email = ?').run(workspaceId, email)
    return removal.changes === 1
  }

  async takeTasks(workspaceId: string, staging: TaskStaging, now: string) {
    return (staging as SqliteTaskStaging).take(workspaceId, now)
  }

  async audit(entry: AuditRecord): Promise<void> {
    this.#db
      .prepare('INSERT INTO audit (at, workspace_id, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)')
      .run(entry.at, entry.workspaceId, entry.actor, entry.action, entry.subject, JSON.stringify(entry.detail))
  }

  async auditTrail(workspaceId: string, limit: number): Promise<AuditRecord[]> {
    const rows = this.#db
      .prepare(`
        SELECT at, workspace_id AS workspaceId, actor, action, subject, detail
        FROM audit WHERE workspace_id = ? ORDER BY id DESC LIMIT ?`)
      .all(workspaceId, limit) as unknown as (Omit<AuditRecord, 'detail'> & { detail: string })[]
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
  }
}

const KEYS = `
  SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, revoked_at, replaces,
         (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id) AS last_used_at,
         (SELECT coalesce(sum(count), 0) FROM key_use WHERE key_id = api_keys.id) AS use_count
  FROM api_keys`

interface KeyRow {
  id: string
  workspace_id: string
  prefix: string
  label: string
  permissions: string
  rate_limit: number | null
  rate_window_seconds: number | null
  created_by: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  replaces: string | null
  last_used_at: string | null
  use_count: number
}

const toKey = (row: KeyRow): KeyRecord & KeyUse => ({
  id: row.id,
  workspaceId: row.workspace_id,
  prefix: row.prefix,
  label: row.label,
  permissions: row.permissions.split(','),
  quota:
    row.rate_limit !== null && row.rate_window_seconds !== null
      ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
      : null,
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  replaces: row.replaces,
  lastUsedAt: row.last_used_at,
  useCount: row.use_count,
})
