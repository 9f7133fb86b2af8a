import type { Transaction } from '../database/store.ts'
import { quoted, type Table } from '../database/table.ts'

/** An application whose own tables are shown here without a sync. Only PostgreSQL, or a copy from it, has these. */
export interface OtherWriter {
  /** Null if the application owns the workspace itself. */
  table: string | null
  program: string
}

const OF_APPLICATION = `source LIKE 'own:%' LIMIT 1`

/** Finds one writer per table, because applications rarely share tables. */
export async function otherWriters(tx: Transaction, tables: readonly Table[], workspaceId: string) {
  const writers: OtherWriter[] = []
  const look = async (table: string | null, from: string) => {
    const [row] = await tx.all<{ source: string }>(`SELECT source FROM ${from} = ? AND ${OF_APPLICATION}`, workspaceId)
    if (row !== undefined) writers.push({ table, program: row.source.slice('own:'.length) })
  }
  await look(null, 'workspaces WHERE id')
  for (const { name } of tables) await look(name, `${quoted(name)} WHERE workspace_id`)
  return writers
}
