import type { Caller } from '../caller.ts'
import { closeRecorders, IncidentRecorder, UseRecorder } from '../key-recorders.ts'
import { parsePermissions } from '../key-row.ts'
import { NO_WORKSPACE, noTasksQuery } from '../readiness.ts'
import {
  type Admission,
  CLOSE_WAIT_MS,
  type CurrentAccess,
  type CurrentTasks,
  type CurrentTasksQuery,
  type IncidentReport,
  type LostRecords,
  type PublicStore,
  type PublicStoreOptions,
  type Quota,
  type WorkspaceRecord,
} from '../store.ts'
import { MANY_UNMARKED, Waking } from '../waking.ts'
import { WORKSPACE_COLUMNS } from '../workspace-columns.ts'
import { AdmissionBatcher } from './admission-batcher.ts'
import { createPool } from './connect.ts'
import { type CurrentTasksRow, currentTasksStatement } from './current-tasks.ts'
import { Hosts } from './hosts.ts'
import { wokenMarker } from './mark-woken.ts'
import { incidentWriter, useWriter } from './record-writers.ts'
import type { SessionPool } from './session-pool.ts'

/**
 * One pool can only read. The other admits and counts requests, writes use records and marks woken tasks; with the server's
 * role it can do no more than that.
 */
export class PostgresPublicStore implements PublicStore {
  readonly #reading: SessionPool
  readonly #counting: SessionPool
  /** Instead of the database's time. */
  readonly #testClock: (() => number) | undefined
  readonly #clock: () => number
  readonly #admission: AdmissionBatcher
  readonly #uses: UseRecorder
  readonly #incidents: IncidentRecorder
  readonly #waking: Waking
  readonly #onLost: (lost: LostRecords) => void

  constructor(url: string, options: PublicStoreOptions) {
    const { clock, onUseFailure, onWakingFailure = onUseFailure, onLost = () => {} } = options
    this.#onLost = onLost
    const hosts = new Hosts(url)
    this.#reading = createPool(hosts, { purpose: 'reads', max: 4, readOnly: true })
    this.#counting = createPool(hosts, { purpose: 'admits', max: 5 })
    this.#admission = new AdmissionBatcher(this.#counting, clock)
    this.#testClock = clock
    this.#clock = clock ?? Date.now
    this.#uses = new UseRecorder(useWriter(this.#counting), onUseFailure)
    this.#incidents = new IncidentRecorder(incidentWriter(this.#counting), onUseFailure)
    this.#waking = new Waking({ mark: wokenMarker(this.#counting), batchMs: 30, onFailure: onWakingFailure })
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    return this.#admission.admit(keyHash, defaultQuota)
  }

  async recheck(keyHash: string): Promise<CurrentAccess | undefined> {
    const { rows } = await this.#reading.read<LookRow>({
      name: 'look',
      text: LOOK,
      values: [keyHash, this.#testClock === undefined ? null : new Date(this.#testClock()).toISOString()],
    })
    const [row] = rows
    if (row === undefined) return undefined
    const { available, revision } = row
    return { permissions: new Set(parsePermissions(row.permissions)), available, revision, now: Date.parse(row.now) }
  }

  async workspace(id: string): Promise<WorkspaceRecord | undefined> {
    const { rows } = await this.#reading.read<WorkspaceRecord>({
      name: 'workspace',
      text: `SELECT ${WORKSPACE_COLUMNS} FROM vitrine.workspaces WHERE id = $1`,
      values: [id],
    })
    return rows[0]
  }

  async currentTasks(query: CurrentTasksQuery): Promise<CurrentTasks> {
    const { rows } = await this.#reading.read<CurrentTasksRow>(currentTasksStatement(query))
    const { json = '', until = null, unmarked = 0 } = rows[0] ?? {}
    if (unmarked > MANY_UNMARKED) this.#waking.notice(query.workspaceId, query.now)
    return {
      json: Buffer.from(query.before + json + query.after),
      until: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
    }
  }

  recordUse(keyId: string, now: number, caller: Caller): void {
    this.#uses.record(keyId, now, caller)
  }

  recordIncident(report: IncidentReport, caller: Caller): void {
    this.#incidents.record(report, this.#clock(), caller)
  }

  async flushUses(): Promise<void> {
    await Promise.all([this.#uses.flush(), this.#incidents.flush()])
  }

  async ping(): Promise<void> {
    await Promise.all([
      this.#admission.probe(),
      this.workspace(NO_WORKSPACE),
      this.currentTasks(noTasksQuery(this.#clock())),
    ])
  }

  /** A connection to a lost database fails by itself. */
  check(): void {}

  async close(waitMs = CLOSE_WAIT_MS): Promise<void> {
    await Promise.all([closeRecorders(this.#uses, this.#incidents, waitMs, this.#onLost), this.#waking.close()])
    await Promise.all([this.#reading.end(), this.#counting.end()])
  }
}

interface LookRow {
  permissions: string
  available: boolean
  revision: number
  now: string
}

/** The same conditions as admission, and also by the time of the database. */
const LOOK = `
  SELECT k.permissions, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN vitrine.api_keys k ON k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > moment.now)
  LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
  LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id`
