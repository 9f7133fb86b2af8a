import { FORGET_CHANGES, moveRevision } from '../../database/statements.ts'
import type { Transaction } from '../../database/store.ts'

/** Deletes the rows of a list in all workspaces. */
export async function deleteList(tx: Transaction, name: string): Promise<void> {
  const workspaces = 'SELECT workspace_id AS id FROM stored_lists WHERE list = ? ORDER BY 1'
  // First, as every writer locks revisions before rows.
  for (const { id } of await tx.all<{ id: string }>(workspaces, name)) await moveRevision(tx, id)
  await tx.run(`${FORGET_CHANGES} WHERE workspace_id IN (SELECT workspace_id FROM stored_lists WHERE list = ?)`, name)
  for (const table of ['list_items', 'list_traces', 'stored_lists'])
    await tx.run(`DELETE FROM ${table} WHERE list = ?`, name)
}
