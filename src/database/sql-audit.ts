import type { AuditRecord } from './audit-chain.ts'
import { type AuditLink, GENESIS, hashOf } from './audit-chain.ts'
import type { AuditChains, ChainHead, ChainPosition, StoredEntry } from './audit-chains.ts'
import type { SqlConnection } from './sql-connection.ts'

const ENTRY = `id, at, workspace_id AS "workspaceId", actor, action, subject, detail,
               number, previous_hash AS "previousHash", hash`

/** The only place that writes the audit: every entry is chained to the one before it. */
export class SqlAudit implements AuditChains {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  async append(record: AuditRecord): Promise<void> {
    // What a database stores in place of half a character is what is hashed, or the entry would not fit its own hash.
    const [workspaceId = '', at = '', actor = '', action = '', subject = ''] = [
      ...[record.workspaceId, record.at, record.actor, record.action, record.subject],
    ].map((text) => text.toWellFormed())
    const detail = JSON.stringify(record.detail)
    const { number, hash: previousHash } = await this.#advance(workspaceId)
    const hash = hashOf({ workspaceId, number, previousHash, at, actor, action, subject, detail })
    await this.#connection.run(
      `INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[at, workspaceId, actor, action, subject, detail, number, previousHash, hash],
    )
    await this.#connection.run('UPDATE audit_heads SET hash = ? WHERE workspace_id = ?', hash, workspaceId)
  }

  /**
   * Takes the next number, and gives it with the hash of the entry before. The head's row stays locked until the
   * transaction ends, so writers of one workspace take turns and a chain never forks.
   */
  async #advance(workspaceId: string): Promise<Pick<AuditLink, 'number' | 'hash'>> {
    const [head] = await this.#connection.all<Pick<AuditLink, 'number' | 'hash'>>(
      `INSERT INTO audit_heads (workspace_id, number, hash) VALUES (?, 1, ?)
       ON CONFLICT (workspace_id) DO UPDATE SET number = audit_heads.number + 1 RETURNING number, hash`,
      ...[workspaceId, GENESIS],
    )
    if (head === undefined) throw new Error('the head of the audit chain cannot be moved')
    return head
  }

  async newest(workspaceId: string, limit: number): Promise<(AuditRecord & AuditLink)[]> {
    const rows = await this.#connection.all<StoredEntry>(
      `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? ORDER BY number DESC LIMIT ?`,
      ...[workspaceId, limit],
    )
    return rows.map(({ id: _, ...row }) => ({ ...row, detail: JSON.parse(row.detail) }))
  }

  async workspaceIds(): Promise<string[]> {
    const rows = await this.#connection.all<{ id: string }>(
      `SELECT workspace_id AS id FROM audit_heads UNION SELECT workspace_id FROM audit ORDER BY id`,
    )
    return rows.map(({ id }) => id)
  }

  async head(workspaceId: string): Promise<ChainHead | undefined> {
    const [row] = await this.#connection.all<ChainHead>(
      `SELECT number, hash, trimmed_number AS "trimmedNumber", trimmed_hash AS "trimmedHash"
       FROM audit_heads WHERE workspace_id = ?`,
      workspaceId,
    )
    return row
  }

  entries(workspaceId: string, after: ChainPosition, limit: number): Promise<StoredEntry[]> {
    return this.#connection.all(
      `SELECT ${ENTRY} FROM audit WHERE workspace_id = ? AND (number, id) > (?, ?) ORDER BY number, id LIMIT ?`,
      ...[workspaceId, after.number, after.id, limit],
    )
  }
}
