import type { Transaction } from '../database/store.ts'

export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

export interface MemberRecord {
  email: string
  role: Role
  addedAt: string
}

export interface Membership {
  workspaceId: string
  slug: string
  name: string
  /** Null: it has none, and UTC is used. */
  timezone: string | null
  /** Null unless the workspace is archived: its pages but one are closed then. */
  archivedAt: string | null
  role: Role
}

export const membersOf = (tx: Transaction, workspaceId: string): Promise<MemberRecord[]> =>
  tx.all(
    'SELECT email, role, added_at AS "addedAt" FROM members WHERE workspace_id = ? ORDER BY added_at, email',
    workspaceId,
  )

/** Adds a member, or changes the role of one. */
export async function putMember(tx: Transaction, workspaceId: string, member: MemberRecord): Promise<void> {
  await tx.run(
    `INSERT INTO members VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace_id, email) DO UPDATE SET role = excluded.role`,
    ...[workspaceId, member.email, member.role, member.addedAt],
  )
}

/** False if there was no such member. */
export async function deleteMember(tx: Transaction, workspaceId: string, email: string): Promise<boolean> {
  const deleted = await tx.run('DELETE FROM members WHERE workspace_id = ? AND email = ?', workspaceId, email)
  return deleted === 1
}

/** The workspaces that a person belongs to, archived ones last: their owners can restore them. */
export const membershipsOf = (tx: Transaction, email: string): Promise<Membership[]> =>
  tx.all(
    `SELECT w.id AS "workspaceId", w.slug, w.name, w.timezone, w.archived_at AS "archivedAt", m.role
     FROM members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.email = ? ORDER BY w.archived_at IS NOT NULL, w.name, w.id`,
    email,
  )
