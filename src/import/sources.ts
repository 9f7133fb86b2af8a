import type { OperatorStore, SqlConnection, Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { truncate } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'

/** Bounds scripts that create a new name for every run; `doctor` and the settings page show all sources. */
const MAX_SOURCES = 100

/** The database enforces the same rule. */
export const isSourceName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)

export function checkSourceName(name: string): void {
  if (!isSourceName(name))
    throw new InvalidValueError(
      `'${name}' is not a valid source name: use 1 to 64 lower-case letters, digits, dots, dashes and underscores, starting with a letter or a digit`,
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
  /** Hash of the URL and the map, in the column `question`. The validators are valid only for these. */
  fingerprint: string | null
  /** The workspace's revision at the last sync: after any other change, the whole snapshot is read again. */
  revision: number | null
  rowCount: number | null
}

const SOURCE = `table_name AS "tableName", name, created_at AS "createdAt", synced_at AS "syncedAt",
  attempted_at AS "attemptedAt", failing_since AS "failingSince", failure, failures, every_seconds AS "everySeconds",
  location, etag, last_modified AS "lastModified", question AS fingerprint, revision, row_count AS "rowCount"`

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
  workspace: string
  source: string
  /** Shown to people: the file as given, stdin, or a URL without secrets. */
  location?: string | undefined
  /** Undefined for a single sync. */
  everySeconds?: number | undefined
}

export type SnapshotDetails = Partial<Pick<Source, 'etag' | 'lastModified' | 'fingerprint'>>

/** The database enforces the same limit. */
const MAX_CHARACTERS = 500

export const clipped = (text: string): string => truncate(text, MAX_CHARACTERS)

const shownIn = ({ location }: Attempt): string | null => (location === undefined ? null : clipped(location))

/** Messages may contain text from outside, so they are reduced to one short line without keys. */
export const oneLine = (message: string): string =>
  clipped(redactTokens(message.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim())

interface SyncedSnapshot extends SnapshotDetails {
  rowCount: number
  revision: number
  state: string | null
}

/** An empty source is deleted, unless its sync is repeated, or continued from a state. */
export async function recordSynced(
  tx: SqlConnection,
  { name: table }: Table,
  workspaceId: string,
  attempt: Attempt,
  at: string,
  { rowCount, revision, state, etag = null, lastModified = null, fingerprint = null }: SyncedSnapshot,
): Promise<void> {
  const { source, everySeconds } = attempt
  const row: SourceRow = [workspaceId, table, source]
  if (rowCount === 0 && everySeconds === undefined && state === null) {
    await tx.run(`DELETE FROM sources ${OF_SOURCE}`, ...row)
    return
  }
  await ensureSource(tx, row, at)
  await tx.run(
    `UPDATE sources SET ${SUCCESS}, etag = ?, last_modified = ?, question = ?, revision = ?, row_count = ?, state = ?
     ${OF_SOURCE}`,
    ...[at, at, shownIn(attempt), everySeconds ?? null],
    ...[etag, lastModified, fingerprint, revision, rowCount, state],
    ...row,
  )
}

/** States are long, so no list has them. Also returns the workspace's timezone. */
export async function savedState(
  tx: Transaction,
  { name: table }: Table,
  { workspace, source }: Pick<Attempt, 'workspace' | 'source'>,
): Promise<Pick<Source, 'fingerprint'> & { state: string | null; timezone: string | null }> {
  const { id, timezone } = await workspaceOrThrow(tx, workspace)
  const sql = `SELECT state, question AS fingerprint FROM sources ${OF_SOURCE}`
  const [row] = await tx.all<{ state: string | null; fingerprint: string | null }>(sql, id, table, source)
  return { timezone, ...(row ?? { state: null, fingerprint: null }) }
}

/** The snapshot is the one that was synced last, so its details stay valid. */
export function recordNotModified(
  store: OperatorStore,
  { name: table }: Table,
  attempt: Attempt,
  at: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, attempt.workspace)
    const values = [at, at, shownIn(attempt), attempt.everySeconds ?? null]
    await tx.run(`UPDATE sources SET ${SUCCESS} ${OF_SOURCE}`, ...values, id, table, attempt.source)
  })
}

/** A single sync of an unknown source is not recorded: its caller saw the error, and the name may be a typo. */
export function recordFailure(
  store: OperatorStore,
  { name: table }: Table,
  attempt: Attempt,
  message: string,
  at: string,
): Promise<void> {
  const { workspace, source, everySeconds } = attempt
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, workspace)
    const row: SourceRow = [id, table, source]
    if (everySeconds !== undefined) await ensureSource(tx, row, at)
    await tx.run(
      `UPDATE sources SET attempted_at = ?, failing_since = coalesce(failing_since, ?), failure = ?, failures = failures + 1,
         location = ?, every_seconds = coalesce(?, every_seconds) ${OF_SOURCE}`,
      ...[at, at, oneLine(message), shownIn(attempt), everySeconds ?? null],
      ...row,
    )
  })
}

type SourceRow = [workspaceId: string, table: string, name: string]

async function ensureSource(tx: SqlConnection, row: SourceRow, at: string): Promise<void> {
  const [workspaceId, table, name] = row
  const sources = (await listSources(tx, workspaceId)).filter(({ tableName }) => tableName === table)
  if (sources.some((source) => source.name === name)) return
  if (sources.length >= MAX_SOURCES)
    throw new UserError(
      `the workspace already has ${MAX_SOURCES} sources of ${table}; use one of their names, or delete one with 'vitrine source delete'`,
    )
  await tx.run('INSERT INTO sources (workspace_id, table_name, name, created_at) VALUES (?, ?, ?, ?)', ...row, at)
}

export async function revisionOf(tx: SqlConnection, workspaceId: string): Promise<number> {
  const [row] = await tx.all<{ number: number }>('SELECT number FROM revisions WHERE workspace_id = ?', workspaceId)
  return row?.number ?? 0
}
