import type { Transaction } from '../database/store.ts'
import { quoted, type Table } from '../database/table.ts'

/** An application whose own tables are shown here without a sync. Only PostgreSQL, or a copy from it, has these. */
export interface OtherWriter {
  /** Null if the application owns the workspace itself. */
  table: string | null
  program: string
}

const PREFIX = 'own:'

export const isOfApplication = (source: string | null): boolean => source?.startsWith(PREFIX) ?? false

/** Finds one writer per table, because applications rarely share tables. */
export async function otherWriters(tx: Transaction, tables: readonly Table[], workspaceId: string) {
  const writers: OtherWriter[] = []
  const check = async (table: string | null, from: string) => {
    const sql = `SELECT source FROM ${from} = ? AND source LIKE '${PREFIX}%' LIMIT 1`
    const [row] = await tx.all<{ source: string }>(sql, workspaceId)
    if (row !== undefined) writers.push({ table, program: row.source.slice(PREFIX.length) })
  }
  await check(null, 'workspaces WHERE id')
  for (const { name } of tables) await check(name, `${quoted(name)} WHERE workspace_id`)
  return writers
}
