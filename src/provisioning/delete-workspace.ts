import { appendAudit, eraseEntries, eraseHead } from '../audit/log.ts'
import { countFrom } from '../database/statements.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { KEY_RECORDS } from '../keys/purge.ts'
import type { List } from '../lists/definition.ts'
import { countRows } from '../resources/rows.ts'
import { deleteWorkspaceRow, workspaceOrThrow } from '../workspaces/records.ts'

export type WorkspaceContents = Awaited<ReturnType<typeof workspaceContents>>

/**
 * How many rows of each list are deleted with a workspace, and how many keys are not revoked. The keys remain, but have nothing left to
 * read.
 */
export async function workspaceContents(tx: Transaction, lists: readonly List[], slug: string) {
  const workspace = await workspaceOrThrow(tx, slug)
  const deleted: Record<string, number> = {}
  for (const list of lists) deleted[list.name] = await countRows(tx, list, workspace.id)
  for (const name of ['members', 'sources'])
    deleted[name] = await countFrom(tx, `${name} WHERE workspace_id = ?`, workspace.id)
  const keys = await countFrom(tx, 'api_keys WHERE workspace_id = ? AND revoked_at IS NULL', workspace.id)
  return { workspace, deleted, keys }
}

/** Ids are never reused, so old keys cannot read another workspace. */
export async function deleteWorkspace(store: OperatorStore, lists: readonly List[], slug: string, actor: string) {
  const contents = await store.transaction(async (tx) => {
    const contents = await workspaceContents(tx, lists, slug)
    const { id, name } = contents.workspace
    // API keys and the audit log remain.
    await deleteWorkspaceRow(tx, id)
    for (const table of ['sessions', 'passkeys']) await tx.run(`DELETE FROM ${table} WHERE workspace_id = ?`, id)
    const detail = { name, slug, ...contents.deleted, keys: contents.keys }
    await appendAudit(tx, { workspaceId: id, actor, action: 'workspace.deleted', subject: id, detail })
    return contents
  })
  // A running server may have recorded more until the workspace was gone.
  await store.transaction((tx) => tx.run('DELETE FROM request_log WHERE workspace_id = ?', contents.workspace.id))
  return contents
}

const OF_KEYS = 'key_id IN (SELECT id FROM api_keys WHERE workspace_id = ?)'

/** Belong to people who are no longer members of any workspace. */
const OF_PEOPLE: readonly [table: string, email: string][] = [
  ['sessions', 'email'],
  ['passkeys', 'email'],
  ['tickets', 'subject'],
]

/**
 * Erases what a deleted workspace leaves behind: its keys with all records of their use, its audit log, and the sign-ins of people
 * who are not members of any workspace any more. If it is interrupted, it can be repeated.
 */
export async function eraseWorkspace(store: OperatorStore, workspaceId: string): Promise<void> {
  await store.transaction(async (tx) => {
    for (const table of KEY_RECORDS) await tx.run(`DELETE FROM ${table} WHERE ${OF_KEYS}`, workspaceId)
    await tx.run('DELETE FROM api_keys WHERE workspace_id = ?', workspaceId)
    for (const [table, email] of OF_PEOPLE)
      await tx.run(`DELETE FROM ${table} WHERE ${email} <> '' AND ${email} NOT IN (SELECT email FROM members)`)
    await eraseEntries(tx, workspaceId)
  })
  await store.compact()
  // Last, because the command finds a deleted workspace by the head of its chain, which contains no personal data.
  await store.transaction(async (tx) => {
    await tx.run('DELETE FROM revisions WHERE workspace_id = ?', workspaceId)
    await eraseHead(tx, workspaceId)
  })
}
