import { setTimeout as delay } from 'node:timers/promises'
import type { QueryConfig, QueryResultRow } from 'pg'
import { BackgroundUpdates } from '../background-updates.ts'
import type { Caller } from '../caller.ts'
import { type Queries, type Read, type Stored, tryReads } from '../queries.ts'
import {
  type Admission,
  CLOSE_WAIT_MS,
  type CurrentAccess,
  type IncidentReport,
  type PublicStore,
  type PublicStoreOptions,
  parsePermissions,
  type Quota,
  type QuotaWindow,
  type StoreFigures,
} from '../store.ts'
import { UseRecorder } from '../use-recorder.ts'
import { AdmissionBatcher, KEY_WORKS, windowHasEnded } from './admission-batcher.ts'
import { createPool } from './connect.ts'
import { Hosts, type PostgresDatabase } from './hosts.ts'
import { recordWriters } from './record-writers.ts'
import { isDelayed, type SessionPool } from './session-pool.ts'

/** How long /readyz waits for its reads if admission works: load balancers wait for a second, and a delayed read takes two. */
const READS_WAIT_MS = 500

/**
 * What public requests ask. One pool can only read; the other admits, which counts, writes use records and updates marks, and can
 * do no more than that if it is given the server's role.
 */
export class PostgresPublicStore implements PublicStore {
  readonly #reading: SessionPool
  readonly #counting: SessionPool
  readonly #clock: () => number
  readonly #admission: AdmissionBatcher
  readonly #uses: UseRecorder
  readonly #resources: readonly Stored[]
  readonly #readers = new Map<unknown, Read<never, unknown>>()
  readonly #background: BackgroundUpdates[] = []
  readonly #options: PublicStoreOptions
  #hasRead = false
  /** The reads of the last probe, until they end: delayed ones must not take all connections. */
  #reads: Promise<void> | undefined

  constructor(database: PostgresDatabase, resources: readonly Stored[], options: PublicStoreOptions) {
    const { clock, onUseFailure } = options
    this.#resources = resources
    this.#options = options
    const hosts = new Hosts(database)
    this.#reading = createPool(hosts, { purpose: 'reads', max: 4, readOnly: true })
    this.#counting = createPool(hosts, { purpose: 'admits', max: 5 })
    this.#admission = new AdmissionBatcher(this.#counting, clock)
    this.#clock = clock ?? Date.now
    this.#uses = new UseRecorder(recordWriters(this.#counting), onUseFailure)
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    return this.#admission.admit(keyHash, defaultQuota)
  }

  async recheck(keyHash: string): Promise<CurrentAccess | undefined> {
    const { rows } = await this.#reading.read<KeyRow>({
      name: 'recheck',
      text: RECHECK,
      values: [keyHash, this.#testNow()],
    })
    const [row] = rows
    if (row === undefined) return undefined
    const { available, revision } = row
    return { permissions: new Set(parsePermissions(row.permissions)), available, revision, now: Date.parse(row.now) }
  }

  async quotaInUse(keyId: string, { windowSeconds }: Quota): Promise<QuotaWindow | undefined> {
    const { rows } = await this.#reading.read<{ used: number; resets_at: string }>({
      name: 'quota in use',
      text: QUOTA_IN_USE,
      values: [keyId, this.#testNow(), windowSeconds],
    })
    const [row] = rows
    return row && { used: row.used, resetsAt: Date.parse(row.resets_at) }
  }

  async timezoneOf(workspaceId: string): Promise<string | null | undefined> {
    const text = 'SELECT timezone FROM vitrine.workspaces WHERE id = $1'
    const { rows } = await this.#reading.read<{ timezone: string | null }>({
      name: 'timezone',
      text,
      values: [workspaceId],
    })
    return rows[0]?.timezone
  }

  /** Instead of the database's time. */
  #testNow(): string | null {
    const { clock } = this.#options
    return clock === undefined ? null : new Date(clock()).toISOString()
  }

  reader<Args, HttpResponse>(queries: Queries<Args, HttpResponse>): Read<Args, HttpResponse> {
    const known = this.#readers.get(queries) as Read<Args, HttpResponse> | undefined
    if (known !== undefined) return known
    const read = queries.postgres({
      read: async <Row extends QueryResultRow>(statement: QueryConfig) =>
        (await this.#reading.read<Row>(statement)).rows,
      inBackground: (createUpdate) => {
        const update = createUpdate(async (statement) => (await this.#counting.query(statement)).rowCount ?? 0)
        const { onUseFailure, onBackgroundFailure: onFailure = onUseFailure } = this.#options
        const updates = new BackgroundUpdates({ update, rows: 500, onFailure })
        this.#background.push(updates)
        return updates
      },
    })
    this.#readers.set(queries, read)
    return read
  }

  recordUse(keyId: string, now: number, caller: Caller, refused: boolean): void {
    this.#uses.recordUse(keyId, now, caller, refused)
  }

  recordIncident(report: IncidentReport, caller: Caller): void {
    this.#uses.recordIncident(report, this.#clock(), caller)
  }

  async ping(): Promise<void> {
    await Promise.all([this.#admission.probe(), this.#probeReads()])
  }

  /**
   * A lock on a table delays its reads on all replicas at once, while cached responses are still served. So a replica that
   * has read before stays ready; one that has not has nothing to serve.
   */
  async #probeReads(): Promise<void> {
    this.#reads ??= tryReads(this, this.#resources, this.#clock())
      .then(() => {
        this.#hasRead = true
      })
      .catch((error) => {
        if (!this.#hasRead || !isDelayed(error)) throw error
      })
      .finally(() => {
        this.#reads = undefined
      })
    await (this.#hasRead ? Promise.race([this.#reads, delay(READS_WAIT_MS, undefined, { ref: false })]) : this.#reads)
  }

  /** A connection to a lost database fails by itself. */
  check(): void {}

  figures(): StoreFigures {
    return {
      queues: { ...this.#uses.queues, admissions: this.#admission.occupancy },
      pools: [this.#reading.figures('reads'), this.#counting.figures('admits')],
    }
  }

  async close(waitMs = CLOSE_WAIT_MS): Promise<void> {
    await Promise.all([
      this.#uses.close(waitMs, this.#options.onLost),
      ...this.#background.map((updates) => updates.close()),
    ])
    await Promise.all([this.#reading.end(), this.#counting.end()])
  }
}

interface KeyRow {
  permissions: string
  available: boolean
  revision: number
  now: string
}

/** The same conditions as admission, and also by the time of the database. */
const RECHECK = `
  SELECT k.permissions, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN vitrine.api_keys k ON k.hash = $1 AND ${KEY_WORKS}
  LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
  LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id`

const QUOTA_IN_USE = `
  SELECT q.used, q.resets_at
  FROM (SELECT coalesce($2::timestamptz, clock_timestamp()) AS now) AS moment
  JOIN vitrine.quota_windows q ON q.key_id = $1
  WHERE NOT (${windowHasEnded("now + $3::int * interval '1 second'")})`
