import type { OperatorStore, SqlConnection, StagingScope } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { truncate } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'

/** A script that invents a name for every run would exceed it; `doctor` and the settings page show all sources. */
const MAX_SOURCES = 100

/** The database has the same rule. */
export const isSourceName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)

export function checkSourceName(name: string): void {
  if (!isSourceName(name))
    throw new InvalidValueError(
      `the name of a source is 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begins with a letter or a digit; '${name}' is not`,
    )
}

export interface Source {
  tableName: string
  name: string
  createdAt: string
  /** The last success, even if nothing changed. */
  syncedAt: string | null
  attemptedAt: string | null
  failingSince: string | null
  failure: string | null
  failures: number
  everySeconds: number | null
  location: string | null
  etag: string | null
  lastModified: string | null
  /** Hash of the URL and the map; the validators hold only for these. */
  question: string | null
  /** The workspace's at the last sync: after any other change, the whole snapshot is read. */
  revision: number | null
  rowCount: number | null
}

const SOURCE = `table_name AS "tableName", name, created_at AS "createdAt", synced_at AS "syncedAt",
  attempted_at AS "attemptedAt", failing_since AS "failingSince", failure, failures, every_seconds AS "everySeconds",
  location, etag, last_modified AS "lastModified", question, revision, row_count AS "rowCount"`

export const listSources = (tx: SqlConnection, workspaceId: string): Promise<Source[]> =>
  tx.all(`SELECT ${SOURCE} FROM sources WHERE workspace_id = ? ORDER BY table_name, name`, workspaceId)

/** Covers all workspaces that are not archived. */
export const listEverySource = (tx: SqlConnection): Promise<(Source & { workspace: string })[]> =>
  tx.all(`SELECT (SELECT slug FROM workspaces w WHERE w.id = workspace_id) AS workspace, ${SOURCE} FROM sources
          WHERE workspace_id IN (SELECT id FROM workspaces WHERE archived_at IS NULL)
          ORDER BY workspace, table_name, name`)

const OF_SOURCE = 'WHERE workspace_id = ? AND table_name = ? AND name = ?'
const SUCCESS = `synced_at = ?, attempted_at = ?, failing_since = NULL, failure = NULL, failures = 0, location = ?,
  every_seconds = ?`

export interface Attempt {
  /** The workspace's slug. */
  workspace: string
  source: string
  /** Shown to people: the file as named, stdin, or a URL without secrets. */
  location: string
  /** Undefined for a single sync. */
  everySeconds?: number | undefined
}

export type SnapshotDetails = Partial<
  Pick<Attempt, 'location' | 'everySeconds'> & Pick<Source, 'etag' | 'lastModified'> & { question: string }
>

/** The database has the same limit. */
const MAX_CHARACTERS = 500

export const clipped = (text: string): string => truncate(text, MAX_CHARACTERS)

/** Messages may repeat text from outside, so they are put on one short line without keys. */
export const oneLine = (message: string): string =>
  clipped(redactTokens(message.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim())

/** An emptied source that is not repeated is forgotten. */
export async function recordSynced(
  tx: SqlConnection,
  { name: table }: Table,
  { workspaceId, source }: StagingScope & { source: string },
  at: string,
  snapshot: SnapshotDetails & { rowCount: number; revision: number },
): Promise<void> {
  const { location, everySeconds, etag = null, lastModified = null, question = null, rowCount, revision } = snapshot
  const row: SourceRow = [workspaceId, table, source]
  if (rowCount === 0 && everySeconds === undefined) {
    await tx.run(`DELETE FROM sources ${OF_SOURCE}`, ...row)
    return
  }
  await ensureSource(tx, row, at)
  await tx.run(
    `UPDATE sources SET ${SUCCESS}, etag = ?, last_modified = ?, question = ?, revision = ?, row_count = ? ${OF_SOURCE}`,
    ...[at, at, location === undefined ? null : clipped(location), everySeconds ?? null],
    ...[etag, lastModified, question, revision, rowCount],
    ...row,
  )
}

/** The snapshot is the one synced last, so what is known of it stays. */
export function recordNotModified(
  store: OperatorStore,
  { name: table }: Table,
  { workspace, source, location, everySeconds }: Attempt,
  at: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, workspace)
    const values = [at, at, clipped(location), everySeconds ?? null]
    await tx.run(`UPDATE sources SET ${SUCCESS} ${OF_SOURCE}`, ...values, id, table, source)
  })
}

/** A single sync of an unknown source is not recorded: its caller saw the error, and the name may be a typo. */
export function recordFailure(
  store: OperatorStore,
  { name: table }: Table,
  { workspace, source, location, everySeconds }: Attempt,
  message: string,
  at: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, workspace)
    const row: SourceRow = [id, table, source]
    if (everySeconds !== undefined) await ensureSource(tx, row, at)
    await tx.run(
      `UPDATE sources SET attempted_at = ?, failing_since = coalesce(failing_since, ?), failure = ?, failures = failures + 1,
         location = ?, every_seconds = coalesce(?, every_seconds) ${OF_SOURCE}`,
      ...[at, at, oneLine(message), clipped(location), everySeconds ?? null],
      ...row,
    )
  })
}

/** The parameters of `OF_SOURCE`. */
type SourceRow = [workspaceId: string, table: string, name: string]

async function ensureSource(tx: SqlConnection, row: SourceRow, at: string): Promise<void> {
  const [workspaceId, table, name] = row
  const sources = (await listSources(tx, workspaceId)).filter(({ tableName }) => tableName === table)
  if (sources.some((source) => source.name === name)) return
  if (sources.length >= MAX_SOURCES)
    throw new UserError(
      `the workspace has ${MAX_SOURCES} sources of ${table} already; use one of their names, or empty one that is not needed: sync it with --allow-empty --max-gone 100% from an empty array`,
    )
  await tx.run('INSERT INTO sources (workspace_id, table_name, name, created_at) VALUES (?, ?, ?, ?)', ...row, at)
}

export async function revisionOf(tx: SqlConnection, workspaceId: string): Promise<number> {
  const [row] = await tx.all<{ number: number }>('SELECT number FROM revisions WHERE workspace_id = ?', workspaceId)
  return row?.number ?? 0
}
