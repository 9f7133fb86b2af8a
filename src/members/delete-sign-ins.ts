import type { Transaction } from '../database/store.ts'
import { membershipsOf } from './records.ts'
import { deleteLinks, type Ticket } from './tickets.ts'

/** Includes unused sign-in links; and passkeys, unless the person is still a member elsewhere. */
export async function deleteSignIns(tx: Transaction, email: string): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE email = ?', email)
  if ((await membershipsOf(tx, email)).length === 0) await tx.run('DELETE FROM passkeys WHERE email = ?', email)
  await tx.run(`DELETE FROM tickets WHERE kind = 'link' AND subject = ?`, email)
}

/** Deletes only sessions and passkeys that are limited to this workspace. */
export async function deleteSessionsTo(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  for (const table of ['sessions', 'passkeys'])
    await tx.run(`DELETE FROM ${table} WHERE email = ? AND workspace_id = ?`, email, workspaceId)
}

/** Deletes only sessions, passkeys and links that are limited to this workspace. */
export async function deleteSignInsTo(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  await deleteSessionsTo(tx, email, workspaceId)
  await deleteLinks(tx, ({ subject, detail }) => subject === email && detail.workspaceId === workspaceId)
}

/** Includes an invitation that was mailed, which no one else has. */
export const isLinkTo =
  (email: string, workspaceId: string) =>
  ({ subject, detail }: Ticket): boolean =>
    subject === email && [detail.workspaceId, detail.invitedTo].includes(workspaceId)

/** Includes the sessions that those links opened, and the passkeys that were added in them. */
export async function deleteSignInsBy(tx: Transaction, email: string, workspaceId: string): Promise<void> {
  await deleteLinks(tx, ({ detail }) => isLinkBy(detail.createdBy, email) && detail.workspaceId === workspaceId)
  for (const [table, key] of Object.entries({ sessions: 'hash', passkeys: 'id' })) {
    const sql = `SELECT ${key} AS key, link_by AS "linkBy" FROM ${table} WHERE workspace_id = ? AND link_by IS NOT NULL`
    for (const row of await tx.all<{ key: string; linkBy: string }>(sql, workspaceId))
      if (isLinkBy(row.linkBy, email)) await tx.run(`DELETE FROM ${table} WHERE ${key} = ?`, row.key)
  }
}

/** Creators are separated by spaces, which no address contains. */
export const isLinkBy = (creators: string | null | undefined, email: string): boolean =>
  creators?.split(' ').includes(email) ?? false
