import { setTimeout as delay } from 'node:timers/promises'
import type { QueryConfig, QueryResultRow } from 'pg'
import { BasePublicStore } from '../base-public-store.ts'
import { NO_KEY_HASH, type Queries, type Read, type Stored } from '../queries.ts'
import { Slots } from '../slots.ts'
import {
  type Admission,
  CLOSE_WAIT_MS,
  type CurrentAccess,
  type PublicStore,
  type PublicStoreOptions,
  type Quota,
  type QuotaWindow,
  type StoreStats,
} from '../store.ts'
import {
  type AccessRow,
  ADMIT,
  type AdmittedRow,
  QUOTA_IN_USE,
  RECHECK,
  toAccess,
  toAdmission,
} from './admission-sql.ts'
import { Batcher } from './batcher.ts'
import { createPool } from './connect.ts'
import { Hosts, type PostgresDatabase } from './hosts.ts'
import { recordWriters } from './record-writers.ts'
import { isDelayed, type SessionPool } from './session-pool.ts'

/** A waiting request takes about 20 KB with its socket, so an unresponsive database costs at most 100 MB. */
const ADMISSIONS = { maxRunning: 4, maxWaiting: 5000, maxWaitingForOne: 1000 }

/** Load balancers wait for a second, but a delayed read fails only after two. */
const READS_WAIT_MS = 500

/** One pool can only read. The other admits keys, records usage and updates marks, and its role can do nothing else. */
export class PostgresPublicStore extends BasePublicStore implements PublicStore {
  readonly #reading: SessionPool
  /** Fewer than the connections of `#reading`. */
  readonly #slots = new Slots({ total: 3, each: 2, waiting: 200 })
  readonly #counting: SessionPool
  readonly #admissions: Batcher<Admission | undefined>
  #defaultQuota: Quota | undefined
  #hasRead = false
  /** Shared by probes, so that delayed reads do not take all connections. */
  #reads: Promise<void> | undefined

  constructor(database: PostgresDatabase, resources: readonly Stored[], options: PublicStoreOptions) {
    const hosts = new Hosts(database)
    const counting = createPool(hosts, { purpose: 'admits', max: 5 })
    super(resources, options, recordWriters(counting))
    this.#counting = counting
    this.#reading = createPool(hosts, { purpose: 'reads', max: 4, readOnly: true })
    this.#admissions = new Batcher(ADMISSIONS, async (waiting) => {
      const rows = await this.#admitAll([...waiting.keys()], [...waiting.values()])
      return (hash, place) => {
        const row = rows.get(hash)
        // The statement counted the whole batch, in order of arrival.
        return row && toAdmission(row, row.counted ? row.used - row.requests + place + 1 : row.used)
      }
    })
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    this.#defaultQuota = defaultQuota
    return this.#admissions.ask(keyHash)
  }

  async #admitAll(hashes: string[], counts: number[]): Promise<Map<string, AdmittedRow>> {
    const { limit, windowSeconds } = this.#defaultQuota ?? {}
    const values = [hashes, counts, limit, windowSeconds, this.#testNow()]
    const { rows } = await this.#counting.query<AdmittedRow>({ name: 'admit', text: ADMIT, values })
    // The tokens of one connection are counted together, and take their places one after the other.
    const later = new Map<string, number>()
    for (const row of rows) {
      if (row.counted) row.used -= later.get(row.id) ?? 0
      later.set(row.id, (later.get(row.id) ?? 0) + row.requests)
    }
    return new Map(rows.map((row) => [row.hash, row]))
  }

  async recheck(keyHash: string): Promise<CurrentAccess | undefined> {
    const row = await this.#readOne<AccessRow>('recheck', RECHECK, keyHash, this.#testNow())
    return row && toAccess(row)
  }

  async quotaInUse(keyId: string, { windowSeconds }: Quota): Promise<QuotaWindow | undefined> {
    const values = [keyId, this.#testNow(), windowSeconds]
    const row = await this.#readOne<Pick<AdmittedRow, 'used' | 'resets_at'>>('quota in use', QUOTA_IN_USE, ...values)
    return row && { used: row.used, resetsAt: Date.parse(row.resets_at) }
  }

  async timezoneOf(workspaceId: string): Promise<string | null | undefined> {
    const text = 'SELECT timezone FROM vitrine.workspaces WHERE id = $1'
    return (await this.#readOne<{ timezone: string | null }>('timezone', text, workspaceId))?.timezone
  }

  async #readOne<Row extends QueryResultRow>(name: string, text: string, ...values: unknown[]) {
    return (await this.#reading.read<Row>({ name, text, values })).rows[0]
  }

  #testNow(): string | null {
    const { clock } = this.options
    return clock === undefined ? null : new Date(clock()).toISOString()
  }

  protected override prepare<Args, Result>(queries: Queries<Args, Result>): Read<Args, Result> {
    return queries.postgres({
      slots: this.#slots,
      read: async <Row extends QueryResultRow>(statement: QueryConfig) =>
        (await this.#reading.read<Row>(statement)).rows,
      inBackground: (createUpdate) => {
        const update = createUpdate(async (statement) => (await this.#counting.query(statement)).rowCount ?? 0)
        return this.updatesInBackground(update, 500)
      },
    })
  }

  async ping(): Promise<void> {
    // Not queued: a long queue does not mean that the database is down.
    await Promise.all([this.#admitAll([NO_KEY_HASH], [0]), this.#probeReads()])
  }

  /** A locked table delays all replicas, but cached responses are still served, so a replica that has read before stays ready. */
  async #probeReads(): Promise<void> {
    this.#reads ??= this.tryReads()
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

  /** Queries to a lost database fail anyway. */
  check(): void {}

  stats(): StoreStats {
    return {
      queues: { ...this.uses.queues, admissions: this.#admissions.occupancy },
      pools: [this.#reading.stats('reads'), this.#counting.stats('admits')],
    }
  }

  async close(waitMs = CLOSE_WAIT_MS): Promise<void> {
    await this.closeRecords(waitMs, this.options.onLost)
    await Promise.all([this.#reading.end(), this.#counting.end()])
  }
}
