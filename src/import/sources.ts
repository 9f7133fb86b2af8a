import type { SqlConnection } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'

/** More would be a script that invents a name for every run; `doctor` and the settings page show them all. */
export const MAX_SOURCES = 100

/** The same rule as that of the table. */
export const isSourceName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)

/** What is known of a source, of which rows of one table are synced. */
export interface Source {
  tableName: string
  name: string
  createdAt: string
  /** The last success, also of a snapshot that changed nothing. */
  syncedAt: string | null
  attemptedAt: string | null
  failingSince: string | null
  failure: string | null
  failures: number
  everySeconds: number | null
  location: string | null
  etag: string | null
  lastModified: string | null
  /** Of the location and the map: the validators hold only for it. */
  question: string | null
  /** Of the workspace when it was last synced: after any other change, the next sync reads the whole snapshot. */
  revision: number | null
  rowCount: number | null
}

const SOURCE = `table_name AS "tableName", name, created_at AS "createdAt", synced_at AS "syncedAt",
  attempted_at AS "attemptedAt", failing_since AS "failingSince", failure, failures, every_seconds AS "everySeconds",
  location, etag, last_modified AS "lastModified", question, revision, row_count AS "rowCount"`

export const listSources = (tx: SqlConnection, workspaceId: string): Promise<Source[]> =>
  tx.all(`SELECT ${SOURCE} FROM sources WHERE workspace_id = ? ORDER BY table_name, name`, workspaceId)

export async function findSource(
  tx: SqlConnection,
  workspaceId: string,
  tableName: string,
  name: string,
): Promise<Source | undefined> {
  const [source] = await tx.all<Source>(
    `SELECT ${SOURCE} FROM sources WHERE workspace_id = ? AND table_name = ? AND name = ?`,
    ...[workspaceId, tableName, name],
  )
  return source
}

/** Within the transaction that needs it there. */
export async function ensureSource(
  tx: SqlConnection,
  workspaceId: string,
  tableName: string,
  name: string,
  at: string,
): Promise<void> {
  const sources = (await listSources(tx, workspaceId)).filter((source) => source.tableName === tableName)
  if (sources.some((source) => source.name === name)) return
  if (sources.length >= MAX_SOURCES)
    throw new UserError(`the workspace has ${MAX_SOURCES} sources of ${tableName} already; use one of their names`)
  await tx.run(
    'INSERT INTO sources (workspace_id, table_name, name, created_at) VALUES (?, ?, ?, ?)',
    ...[workspaceId, tableName, name, at],
  )
}
