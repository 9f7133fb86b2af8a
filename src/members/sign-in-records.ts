import { SESSION_COLUMNS, type SessionRecord, type Transaction } from '../database/store.ts'
import { deleteLinks } from './tickets.ts'

/** Ends all sessions of a person, and the sign-in links that they have not used yet. */
export async function deleteSignIns(tx: Transaction, email: string): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE email = ?', email)
  await tx.run(`DELETE FROM tickets WHERE kind = 'link' AND subject = ?`, email)
}

/** The same of what reaches one workspace alone. */
export async function deleteSignInsTo(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE email = ? AND workspace_id = ?', email, workspaceId)
  await deleteLinksTo(tx, email, workspaceId)
}

/** Deletes the links that a person has not used yet and that reach one workspace alone. */
export async function deleteLinksTo(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  await deleteLinks(tx, ({ subject, detail }) => subject === email && detail.workspaceId === workspaceId)
}

/** Deletes the links to one workspace that a person had a part in creating, and the sessions that they opened. */
export async function deleteSignInsBy(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  await deleteLinks(tx, ({ detail }) => isLinkBy(detail.createdBy, email) && detail.workspaceId === workspaceId)
  const sessions = await tx.all<SessionRecord>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE workspace_id = ? AND link_by IS NOT NULL`,
    workspaceId,
  )
  for (const { hash, linkBy } of sessions)
    if (isLinkBy(linkBy, email)) await tx.run('DELETE FROM sessions WHERE hash = ?', hash)
}

/** No address has a space in it. */
export const isLinkBy = (creators: string | null | undefined, email: string): boolean =>
  creators?.split(' ').includes(email) ?? false
