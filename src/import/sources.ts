import type { SqlConnection, StagingScope } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'

/** More would be a script that invents a name for every run; `doctor` and the settings page show them all. */
const MAX_SOURCES = 100

/** The database has the same rule. */
export const isSourceName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)

export function checkSourceName(name: string): void {
  if (!isSourceName(name))
    throw new InvalidValueError(
      `the name of a source is 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begins with a letter or a digit; '${name}' is not`,
    )
}

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

/** Of all workspaces that are not archived, each with its workspace's slug. */
export const listEverySource = (tx: SqlConnection): Promise<(Source & { workspace: string })[]> =>
  tx.all(`SELECT (SELECT slug FROM workspaces w WHERE w.id = workspace_id) AS workspace, ${SOURCE} FROM sources
          WHERE workspace_id IN (SELECT id FROM workspaces WHERE archived_at IS NULL)
          ORDER BY workspace, table_name, name`)

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

/** What a sync says of its snapshot. */
export interface SnapshotDetails {
  /** For people: the file as it was named, stdin, or a URL without its secrets. */
  location?: string
  everySeconds?: number | undefined
  etag?: string | null
  lastModified?: string | null
  question?: string
}

/** As much of a location or a failure as is kept; the database has the same limit. */
const MAX_CHARACTERS = 500

/** Cut off where it is too long: it is there to be recognised. */
export const clipped = (text: string): string => {
  const characters = [...text]
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : text
}

/** Records a success, within its transaction. A source that was emptied, and is not repeated, is forgotten. */
export async function recordSynced(
  tx: SqlConnection,
  { name: tableName }: Table,
  { workspaceId, source }: StagingScope & { source: string },
  at: string,
  snapshot: SnapshotDetails & { rowCount: number; revision: number },
): Promise<void> {
  const { location, everySeconds, etag, lastModified, question, rowCount, revision } = snapshot
  const place = [workspaceId, tableName, source]
  if (rowCount === 0 && everySeconds === undefined) {
    await tx.run('DELETE FROM sources WHERE workspace_id = ? AND table_name = ? AND name = ?', ...place)
    return
  }
  await ensureSource(tx, workspaceId, tableName, source, at)
  await tx.run(
    `UPDATE sources SET synced_at = ?, attempted_at = ?, failing_since = NULL, failure = NULL, failures = 0, location = ?,
       every_seconds = ?, etag = ?, last_modified = ?, question = ?, revision = ?, row_count = ?
     WHERE workspace_id = ? AND table_name = ? AND name = ?`,
    ...[at, at, location === undefined ? null : clipped(location)],
    ...[everySeconds ?? null, etag ?? null, lastModified ?? null, question ?? null, revision, rowCount],
    ...place,
  )
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
    throw new UserError(
      `the workspace has ${MAX_SOURCES} sources of ${tableName} already; use one of their names, or empty one that is not needed: sync it with --allow-empty --max-gone 100% from an empty array`,
    )
  await tx.run(
    'INSERT INTO sources (workspace_id, table_name, name, created_at) VALUES (?, ?, ?, ?)',
    ...[workspaceId, tableName, name, at],
  )
}

/** Of a workspace, as this transaction leaves it. */
export async function revisionOf(tx: SqlConnection, workspaceId: string): Promise<number> {
  const [row] = await tx.all<{ number: number }>('SELECT number FROM revisions WHERE workspace_id = ?', workspaceId)
  return row?.number ?? 0
}
