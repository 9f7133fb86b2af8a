import type { AuditRecord } from './audit-chain.ts'
import { permissionsOf, type QuotaColumns, quotaOf } from './key-row.ts'
import { SqlAudit } from './sql-audit.ts'
import type { SqlConnection } from './sql-connection.ts'
import { SqlKeyHistory } from './sql-key-history.ts'
import { SqlSignInRecords } from './sql-sign-in-records.ts'
import type { KeyRecord, KeyUse, MemberRecord, Membership, Staging, Transaction, WorkspaceRecord } from './store.ts'
import { isZone, LEARN_TIMEZONE } from './timezones.ts'
import { WORKSPACE_COLUMNS } from './workspace-columns.ts'

/**
 * The operator's questions and changes, in SQL that both engines understand. Beginning and ending the transaction around
 * them is the engine's business.
 */
export class SqlTransaction implements Transaction {
  readonly signIn: SqlSignInRecords
  readonly history: SqlKeyHistory
  readonly auditChains: SqlAudit
  readonly nowMs: number
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection, nowMs: number) {
    this.#connection = connection
    this.nowMs = nowMs
    this.signIn = new SqlSignInRecords(connection)
    this.history = new SqlKeyHistory(connection)
    this.auditChains = new SqlAudit(connection)
  }

  workspaces(): Promise<WorkspaceRecord[]> {
    return this.#connection.all(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces ORDER BY created_at, id`)
  }

  async workspaceBySlug(slug: string): Promise<WorkspaceRecord | undefined> {
    const found = await this.#connection.all<WorkspaceRecord>(
      `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE slug = ?`,
      slug,
    )
    return found[0]
  }

  async insertWorkspace(w: WorkspaceRecord): Promise<void> {
    await this.#connection.run(
      'INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[w.id, w.slug, w.name, w.timezone, w.currencyCode, w.countryCode, w.createdAt, w.archivedAt],
    )
  }

  async knowsTimezone(name: string): Promise<boolean> {
    if (isZone(name)) await this.#connection.run(LEARN_TIMEZONE, name)
    return (await this.#connection.all('SELECT name FROM timezones WHERE name = ?', name)).length === 1
  }

  async setArchived(workspaceId: string, archivedAt: string | null): Promise<void> {
    await this.#connection.run('UPDATE workspaces SET archived_at = ? WHERE id = ?', archivedAt, workspaceId)
  }

  async keys(workspaceId: string): Promise<(KeyRecord & KeyUse)[]> {
    const rows = await this.#connection.all<KeyRow>(
      `${KEYS} WHERE workspace_id = ? ORDER BY created_at, id`,
      workspaceId,
    )
    return rows.map(toKey)
  }

  async key(id: string): Promise<KeyRecord | undefined> {
    const [row] = await this.#connection.all<KeyRow>(`${KEYS} WHERE id = ?`, id)
    return row && toKey(row)
  }

  async insertKey(key: KeyRecord, hash: string): Promise<void> {
    const { quota } = key
    await this.#connection.run(
      `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds,
                             created_by, created_at, expires_at, revoked_at, replaces)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[key.id, key.workspaceId, hash, key.prefix, key.label, key.permissions.join(',')],
      ...[quota?.limit ?? null, quota?.windowSeconds ?? null],
      ...[key.createdBy, key.createdAt, key.expiresAt, key.revokedAt, key.replaces],
    )
  }

  async revokeKey(id: string, revokedAt: string): Promise<boolean> {
    const revoked = await this.#connection.run(
      'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
      ...[revokedAt, id],
    )
    return revoked === 1
  }

  async expireKey(id: string, expiresAt: string): Promise<void> {
    await this.#connection.run('UPDATE api_keys SET expires_at = ? WHERE id = ?', expiresAt, id)
  }

  members(workspaceId: string): Promise<MemberRecord[]> {
    return this.#connection.all(
      'SELECT email, role, added_at AS "addedAt" FROM members WHERE workspace_id = ? ORDER BY added_at, email',
      workspaceId,
    )
  }

  async putMember(workspaceId: string, member: MemberRecord): Promise<void> {
    await this.#connection.run(
      `INSERT INTO members VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, email) DO UPDATE SET role = excluded.role`,
      ...[workspaceId, member.email, member.role, member.addedAt],
    )
  }

  async removeMember(workspaceId: string, email: string): Promise<boolean> {
    const removed = await this.#connection.run(
      'DELETE FROM members WHERE workspace_id = ? AND email = ?',
      workspaceId,
      email,
    )
    return removed === 1
  }

  memberships(email: string): Promise<Membership[]> {
    return this.#connection.all(
      `SELECT w.id AS "workspaceId", w.slug, w.name, m.role FROM members m JOIN workspaces w ON w.id = m.workspace_id
       WHERE m.email = ? AND w.archived_at IS NULL ORDER BY w.name, w.id`,
      email,
    )
  }

  takeStaged(workspaceId: string, staging: Staging, now: string) {
    return staging.take(this.#connection, workspaceId, now)
  }

  audit(entry: AuditRecord): Promise<void> {
    return this.auditChains.append(entry)
  }

  auditTrail(workspaceId: string, limit: number) {
    return this.auditChains.newest(workspaceId, limit)
  }
}

const KEYS = `
  SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, revoked_at, replaces,
         (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id) AS last_used_at,
         (SELECT coalesce(sum(count), 0) FROM key_use WHERE key_id = api_keys.id) AS use_count
  FROM api_keys`

interface KeyRow extends QuotaColumns {
  id: string
  workspace_id: string
  prefix: string
  label: string
  permissions: string
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
  permissions: permissionsOf(row),
  quota: quotaOf(row),
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  replaces: row.replaces,
  lastUsedAt: row.last_used_at,
  useCount: row.use_count,
})
