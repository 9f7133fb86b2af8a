import type { SqlConnection } from '../database/connection.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { truncate } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'

/** Bounds scripts that create a new name for every run; `doctor` and the settings page show all sources. */
const MAX_SOURCES = 100

/** The database enforces the same rule. */
export function checkSourceName(name: string): void {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
    throw new InvalidValueError(
      `'${name}' is not a valid source name: use 1 to 64 lower-case letters, digits, dots, dashes and underscores, starting with a letter or a digit`,
    )
}

export interface Source {
  list: string
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
  rowCount: number | null
}

const SOURCE = `list, name, created_at AS "createdAt", synced_at AS "syncedAt",
  attempted_at AS "attemptedAt", failing_since AS "failingSince", failure, failures, every_seconds AS "everySeconds",
  location, row_count AS "rowCount"`

export const listSources = (tx: SqlConnection, workspaceId: string): Promise<Source[]> =>
  tx.all(`SELECT ${SOURCE} FROM sources WHERE workspace_id = ? ORDER BY list, name`, workspaceId)

/** Covers all workspaces that are not archived. */
export const listEverySource = (tx: SqlConnection): Promise<(Source & { workspace: string })[]> =>
  tx.all(`SELECT (SELECT slug FROM workspaces w WHERE w.id = workspace_id) AS workspace, ${SOURCE} FROM sources
          WHERE workspace_id IN (SELECT id FROM workspaces WHERE archived_at IS NULL)
          ORDER BY workspace, list, name`)

const OF_SOURCE = 'WHERE workspace_id = ? AND list = ? AND name = ?'

export interface Attempt {
  workspace: string
  source: string
  /** Shown to people: the file as given, stdin, or a URL without secrets. */
  location?: string | undefined
  /** Undefined for a single sync. */
  everySeconds?: number | undefined
}

/** The database enforces the same limit. */
const MAX_CHARACTERS = 500

const clipped = (text: string): string => truncate(text, MAX_CHARACTERS)

const shownIn = ({ location }: Attempt): string | null => (location === undefined ? null : clipped(location))

/** Messages may contain text from outside, so they are reduced to one short line without keys. */
export const oneLine = (message: string, redact = redactTokens): string =>
  clipped(redact(message.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim())

/** An empty source is deleted, unless its sync is repeated. */
export async function recordSynced(
  tx: Transaction,
  { name: list }: Pick<List, 'name'>,
  workspaceId: string,
  attempt: Attempt,
  rowCount: number,
): Promise<void> {
  const at = isoOf(tx.nowMs)
  const { source, everySeconds } = attempt
  const row: SourceRow = [workspaceId, list, source]
  if (rowCount === 0 && everySeconds === undefined) {
    await tx.run(`DELETE FROM sources ${OF_SOURCE}`, ...row)
    return
  }
  await ensureSource(tx, row, at)
  await tx.run(
    `UPDATE sources SET synced_at = ?, attempted_at = ?, failing_since = NULL, failure = NULL, failures = 0, location = ?,
       every_seconds = ?, row_count = ? ${OF_SOURCE}`,
    ...[at, at, shownIn(attempt), everySeconds ?? null, rowCount],
    ...row,
  )
}

/** A single sync of an unknown source is not recorded: its caller saw the error, and the name may be a typo. */
export async function recordFailure(
  tx: Transaction,
  { name: list }: Pick<List, 'name'>,
  attempt: Attempt,
  message: string,
) {
  const at = isoOf(tx.nowMs)
  const { workspace, source, everySeconds } = attempt
  const { id } = await workspaceOrThrow(tx, workspace)
  const row: SourceRow = [id, list, source]
  if (everySeconds !== undefined) await ensureSource(tx, row, at)
  await tx.run(
    `UPDATE sources SET attempted_at = ?, failing_since = coalesce(failing_since, ?), failure = ?, failures = failures + 1,
       location = ?, every_seconds = coalesce(?, every_seconds) ${OF_SOURCE}`,
    ...[at, at, oneLine(message), shownIn(attempt), everySeconds ?? null],
    ...row,
  )
}

type SourceRow = [workspaceId: string, list: string, name: string]

async function ensureSource(tx: SqlConnection, row: SourceRow, at: string): Promise<void> {
  const [workspaceId, list] = row
  const sources = (await listSources(tx, workspaceId)).filter((source) => source.list === list)
  if (sources.some((source) => source.name === row[2])) return
  if (sources.length >= MAX_SOURCES)
    throw new UserError(
      `the workspace already has ${MAX_SOURCES} sources of ${list}; use one of their names, or delete one with 'vitrine source delete'`,
    )
  await tx.run('INSERT INTO sources (workspace_id, list, name, created_at) VALUES (?, ?, ?, ?)', ...row, at)
}

export function parseSourceUrl(location: string): URL | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(location)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  if (scheme !== 'http' && scheme !== 'https')
    throw new InvalidValueError(
      `cannot fetch ${scheme}:// URLs, only http:// and https://; download the file and use its path`,
    )
  const url = URL.parse(location)
  if (url === null) throw new InvalidValueError(`is not a URL: it should look like ${scheme}://example.com/export.json`)
  if (url.username !== '' || url.password !== '')
    throw new InvalidValueError(
      'the URL must not contain a user name or password, which other users of this machine can see; put a token into ' +
        "SYNC_TOKEN_FILE, or 'Authorization: Basic …' into SYNC_HEADER_FILE",
    )
  return url
}

/** The query often contains a secret, and the path may too. */
export function shownUrl({ origin, pathname }: URL): string {
  return clipped(redactTokens(`${origin}${pathname}`))
}
