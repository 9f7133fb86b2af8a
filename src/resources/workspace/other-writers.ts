import type { Transaction } from '../../database/store.ts'
import { quoted, type Table } from '../../database/table.ts'

/** A program that shows what is in its own tables here, without a sync; only PostgreSQL has such, and copies of it. */
export interface OtherWriter {
  /** The table with rows of it; null if the workspace itself is the program's. */
  table: string | null
  program: string
}

const OWN = `source LIKE 'own:%' LIMIT 1`

/** One for the workspace and for each table: an application rarely shares its tables with another. */
export async function otherWriters(
  tx: Transaction,
  tables: readonly Table[],
  workspaceId: string,
): Promise<OtherWriter[]> {
  const writers: OtherWriter[] = []
  const look = async (table: string | null, from: string) => {
    const [row] = await tx.all<{ source: string }>(`SELECT source FROM ${from} = ? AND ${OWN}`, workspaceId)
    if (row !== undefined) writers.push({ table, program: row.source.slice('own:'.length) })
  }
  await look(null, 'workspaces WHERE id')
  for (const { name } of tables) await look(name, `${quoted(name)} WHERE workspace_id`)
  return writers
}
