import type { SqlConnection } from '../../database/store.ts'

/** Deletes the rows of a list in all workspaces. */
export async function deleteList(tx: SqlConnection, name: string): Promise<void> {
  // First, as every writer locks revisions before rows.
  const workspaces = 'SELECT workspace_id FROM stored_lists WHERE list = ?'
  await tx.run(`UPDATE revisions SET number = number + 1 WHERE workspace_id IN (${workspaces})`, name)
  for (const table of ['list_items', 'stored_lists']) await tx.run(`DELETE FROM ${table} WHERE list = ?`, name)
}
