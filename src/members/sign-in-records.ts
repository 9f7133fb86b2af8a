import { SESSION_COLUMNS, type SessionRecord, type Transaction } from '../database/store.ts'
import { deleteLinks } from './tickets.ts'

export async function insertSession(tx: Transaction, session: SessionRecord): Promise<void> {
  await tx.run(
    'INSERT INTO sessions (hash, email, started_at, seen_at, workspace_id, link_by) VALUES (?, ?, ?, ?, ?, ?)',
    ...[session.hash, session.email, session.startedAt, session.seenAt, session.workspaceId, session.linkBy],
  )
}

export async function findSession(tx: Transaction, hash: string): Promise<SessionRecord | undefined> {
  const [row] = await tx.all<SessionRecord>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE hash = ?`, hash)
  return row
}

export const sessionsOf = (tx: Transaction, email: string): Promise<SessionRecord[]> =>
  tx.all(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE email = ?`, email)

/**
 * Ends all sessions of a person that reach the same, one workspace or all of theirs, except the `count` that were used last.
 * Signing in with links to one workspace must not end the person's sessions elsewhere.
 */
export async function keepSessions(
  tx: Transaction,
  { email, workspaceId }: Pick<SessionRecord, 'email' | 'workspaceId'>,
  count: number,
): Promise<void> {
  const same = 'email = ? AND workspace_id IS NOT DISTINCT FROM ?'
  await tx.run(
    `DELETE FROM sessions WHERE ${same} AND hash NOT IN
       (SELECT hash FROM sessions WHERE ${same} ORDER BY seen_at DESC, hash LIMIT ?)`,
    ...[email, workspaceId, email, workspaceId, count],
  )
}

export async function touchSession(tx: Transaction, hash: string, seenAt: string): Promise<void> {
  await tx.run('UPDATE sessions SET seen_at = ? WHERE hash = ?', seenAt, hash)
}

/** Whether there was one. */
export const deleteSession = async (tx: Transaction, hash: string): Promise<boolean> =>
  (await tx.run('DELETE FROM sessions WHERE hash = ?', hash)) > 0

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
  for (const { hash, linkBy } of sessions) if (isLinkBy(linkBy, email)) await deleteSession(tx, hash)
}

/** No address has a space in it. */
export const isLinkBy = (creators: string | null | undefined, email: string): boolean =>
  creators?.split(' ').includes(email) ?? false

/** Deletes what can no longer be used. */
export async function deleteExpiredSignIns(
  tx: Transaction,
  { now, startedBefore, seenBefore }: { now: string; startedBefore: string; seenBefore: string },
): Promise<void> {
  await tx.run('DELETE FROM tickets WHERE expires_at <= ?', now)
  await tx.run('DELETE FROM sessions WHERE started_at <= ? OR seen_at <= ?', startedBefore, seenBefore)
}
