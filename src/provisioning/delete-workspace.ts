import { appendAudit } from '../audit/log.ts'
import { countFrom } from '../database/statements.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { deleteBatchSql } from '../keys/purge.ts'
import { countRows } from '../resources/rows.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import { inBatches } from './erase-workspace.ts'

export type WorkspaceContents = Awaited<ReturnType<typeof workspaceContents>>

/**
 * How many rows of each table are deleted with a workspace, and how many keys are not revoked. The keys remain, but have nothing
 * left to read.
 */
export async function workspaceContents(tx: Transaction, tables: readonly Table[], slug: string) {
  const workspace = await workspaceOrThrow(tx, slug)
  const deleted: Record<string, number> = {}
  for (const table of tables) deleted[table.name] = await countRows(tx, table, workspace.id)
  for (const name of ['members', 'sources'])
    deleted[name] = await countFrom(tx, `${name} WHERE workspace_id = ?`, workspace.id)
  const keys = await countFrom(tx, 'api_keys WHERE workspace_id = ? AND revoked_at IS NULL', workspace.id)
  return { workspace, deleted, keys }
}

/** Large tables are emptied after the transaction. Ids are never reused, so old keys cannot read another workspace. */
export async function deleteWorkspace(store: OperatorStore, tables: readonly Table[], slug: string, actor: string) {
  const contents = await store.transaction(async (tx) => {
    const contents = await workspaceContents(tx, tables, slug)
    const { id, name } = contents.workspace
    // Foreign keys delete the rows, members and sources. API keys and the audit log remain.
    await tx.run('DELETE FROM workspaces WHERE id = ?', id)
    const detail = { name, slug, ...contents.deleted, keys: contents.keys }
    await appendAudit(tx, { workspaceId: id, actor, action: 'workspace.deleted', subject: id, detail })
    return contents
  })
  const { id } = contents.workspace
  await store.tidy(id)
  await inBatches(store, (tx) => tx.run(deleteBatchSql(['request_log', 'id'], 'workspace_id = ?'), id))
  return contents
}
