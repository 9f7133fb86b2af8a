import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { FixedWindows } from '../fixed-windows.ts'
import type { Admission, CurrentTasksQuery, PublicStore, Quota, WorkspaceRecord } from '../store.ts'
import { connectForReading, connectForWriting } from './connect.ts'
import { CurrentTasksReader } from './current-tasks.ts'
import { UseRecorder } from './use-recorder.ts'
import { WORKSPACE_COLUMNS } from './workspace-columns.ts'

/** All that a request may know of its key, its workspace's state and revision. */
interface Known extends Omit<Admission, 'quota' | 'window'> {
  quota: Quota | undefined
  expiresAt: number
}

const KNOWN_KEYS_MAX = 50_000

/**
 * What public requests ask, over a connection that cannot write. What a look found stays in memory as long as the
 * file's data_version stands still: it moves with every commit of any other connection, in this process or another,
 * so a revocation or a change of data is seen by the very next request.
 */
export class SqlitePublicStore implements PublicStore {
  readonly #db: DatabaseSync
  readonly #dataVersion: StatementSync
  readonly #look: StatementSync
  readonly #workspace: StatementSync
  readonly #tasks: CurrentTasksReader
  readonly #uses: UseRecorder
  readonly #windows = new FixedWindows()
  readonly #known = new Map<string, Known>()
  #knownAtVersion = -1

  constructor(path: string, onUseFailure: (error: unknown) => void) {
    this.#uses = new UseRecorder(connectForUses(path), onUseFailure)
    this.#db = connectForReading(path)
    this.#dataVersion = this.#db.prepare('PRAGMA data_version')
    this.#look = this.#db.prepare(LOOK)
    this.#workspace = this.#db.prepare(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ?`)
    this.#tasks = new CurrentTasksReader(this.#db)
  }

  async admit(keyHash: string, now: number, defaultQuota: Quota): Promise<Admission | undefined> {
    const known = this.#find(keyHash)
    if (known === undefined || known.expiresAt <= now) return undefined
    const { keyId, workspaceId, permissions, available, revision } = known
    const quota = known.quota ?? defaultQuota
    const window = this.#windows.count(keyId, quota, now)
    return { keyId, workspaceId, permissions, quota, window, available, revision }
  }

  #find(keyHash: string): Known | undefined {
    const { data_version } = this.#dataVersion.get() as { data_version: number }
    if (data_version !== this.#knownAtVersion) {
      this.#known.clear()
      this.#knownAtVersion = data_version
    }
    const known = this.#known.get(keyHash)
    if (known !== undefined) return known
    const row = this.#look.get(keyHash) as LookRow | undefined
    if (row === undefined) return undefined
    if (this.#known.size >= KNOWN_KEYS_MAX) this.#known.clear()
    const found = toKnown(row)
    this.#known.set(keyHash, found)
    return found
  }

  async workspace(id: string): Promise<WorkspaceRecord | undefined> {
    return this.#workspace.get(id) as unknown as WorkspaceRecord | undefined
  }

  async currentTasks(query: CurrentTasksQuery) {
    return this.#tasks.read(query)
  }

  recordUse(keyId: string, now: number): void {
    this.#uses.record(keyId, now)
  }

  async ping(): Promise<void> {
    this.#db.prepare('SELECT 1 FROM workspaces LIMIT 1').get()
  }

  async close(): Promise<void> {
    this.#uses.close()
    this.#db.close()
  }
}

function connectForUses(path: string): DatabaseSync {
  const db = connectForWriting(path, { create: true })
  // Losing the last seconds of use records in a power cut is fine; waiting for the lock on the event loop is not.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0')
  return db
}

const LOOK = `
  SELECT k.id, k.workspace_id, k.permissions, k.rate_limit, k.rate_window_seconds, k.expires_at,
         w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision
  FROM api_keys k
  LEFT JOIN workspaces w ON w.id = k.workspace_id
  LEFT JOIN revisions r ON r.workspace_id = k.workspace_id
  WHERE k.hash = ? AND k.revoked_at IS NULL`

interface LookRow {
  id: string
  workspace_id: string
  permissions: string
  rate_limit: number | null
  rate_window_seconds: number | null
  expires_at: string | null
  available: number
  revision: number
}

const toKnown = (row: LookRow): Known => ({
  keyId: row.id,
  workspaceId: row.workspace_id,
  permissions: new Set(row.permissions.split(',')),
  quota:
    row.rate_limit !== null && row.rate_window_seconds !== null
      ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
      : undefined,
  expiresAt: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
  available: row.available === 1,
  revision: row.revision,
})
