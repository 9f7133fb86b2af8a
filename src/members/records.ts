import { countFrom } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { hashSecret } from '../lib/secret.ts'

export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

export interface MemberRecord {
  email: string
  role: Role
  addedAt: string
  /** The last sign-in to this workspace. Null if never. */
  signedInAt: string | null
}

/** Used in URLs, where an email address would end up in logs and browser histories. */
export const memberIdOf = ({ email }: { email: string }): string => `mem_${hashSecret(email).slice(0, 18)}`

export interface Membership {
  workspaceId: string
  slug: string
  name: string
  /** Null means UTC. */
  timezone: string | null
  /** Only a few pages of an archived workspace are open. */
  archivedAt: string | null
  role: Role
}

const MEMBER_COLUMNS = 'email, role, added_at AS "addedAt", signed_in_at AS "signedInAt"'

export const membersOf = (tx: Transaction, workspaceId: string): Promise<MemberRecord[]> =>
  tx.all(`SELECT ${MEMBER_COLUMNS} FROM members WHERE workspace_id = ? ORDER BY added_at, email`, workspaceId)

export async function findMember(tx: Transaction, workspaceId: string, email: string) {
  const sql = `SELECT ${MEMBER_COLUMNS} FROM members WHERE workspace_id = ? AND email = ?`
  return (await tx.all<MemberRecord>(sql, workspaceId, email))[0]
}

export const countOwners = (tx: Transaction, workspaceId: string): Promise<number> =>
  countFrom(tx, `members WHERE workspace_id = ? AND role = 'owner'`, workspaceId)

/** Archived workspaces come last. Their owners can restore them. */
export const membershipsOf = (tx: Transaction, email: string): Promise<Membership[]> =>
  tx.all(
    `SELECT w.id AS "workspaceId", w.slug, w.name, w.timezone, w.archived_at AS "archivedAt", m.role
     FROM members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.email = ? ORDER BY w.archived_at IS NOT NULL, w.name, w.id`,
    email,
  )
