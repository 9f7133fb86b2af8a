import type { OperatorStore, SqlConnection, StagingScope } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { truncate } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'

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

const OF_SOURCE = 'WHERE workspace_id = ? AND table_name = ? AND name = ?'
const SUCCESS = `synced_at = ?, attempted_at = ?, failing_since = NULL, failure = NULL, failures = 0, location = ?,
  every_seconds = ?`

/** Which source, and how it is synced. */
export interface Attempt {
  /** The workspace's slug. */
  workspace: string
  source: string
  /** For people: the file as it was named, stdin, or a URL without its secrets. */
  location: string
  /** Undefined unless it is repeated. */
  everySeconds?: number | undefined
}

/** What is remembered of a snapshot. */
export type SnapshotDetails = Partial<
  Pick<Attempt, 'location' | 'everySeconds'> & Pick<Source, 'etag' | 'lastModified'> & { question: string }
>

/** The most of a location or a failure that is stored; the database has the same limit. */
const MAX_CHARACTERS = 500

/** Cut off where it is too long: it is there to be recognised. */
export const clipped = (text: string): string => truncate(text, MAX_CHARACTERS)

/** A message may repeat what came from outside: it is put on one line of bounded length, without keys. */
export const oneLine = (message: string): string =>
  clipped(redactTokens(message.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim())

/** Records a success, within its transaction. A source that was emptied, and is not repeated, is forgotten. */
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

/** Records that the snapshot is still the one that was synced last: what is known of that stays. */
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

/**
 * Records that a sync failed, and why. One that was done once for a source that does not exist is not recorded: the caller saw
 * the error, and the name may have been misspelt.
 */
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

/** The workspace's id, the table and the name: the parameters of `OF_SOURCE`. */
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

/** The workspace's revision, as this transaction leaves it. */
export async function revisionOf(tx: SqlConnection, workspaceId: string): Promise<number> {
  const [row] = await tx.all<{ number: number }>('SELECT number FROM revisions WHERE workspace_id = ?', workspaceId)
  return row?.number ?? 0
}
