import { setTimeout as delay } from 'node:timers/promises'
import type { QueryResultRow } from 'pg'
import { isWithin } from '../../lib/cidr.ts'
import { isoOf } from '../../lib/instant.ts'
import { Lru } from '../../lib/lru.ts'
import type { Quota } from '../../lib/rate-windows.ts'
import { shareConcurrent } from '../../lib/share-concurrent.ts'
import { type AdmissionResult, NO_KEY_HASH, type RefusedKey } from '../admission.ts'
import { BasePublicStore } from '../base-public-store.ts'
import type { SqlConnection } from '../connection.ts'
import { Slots } from '../slots.ts'
import { CLOSE_WAIT_MS, type PublicStore, type PublicStoreOptions, type StoredResource } from '../store.ts'
import {
  type AccessRow,
  ADMIT,
  type AdmittedRow,
  askedFor,
  QUOTA_IN_USE,
  RECHECK,
  toAccess,
  toAdmission,
  toRefused,
} from './admission-sql.ts'
import { Batcher } from './batcher.ts'
import { createPool } from './pool/connect.ts'
import { isDelayed, type SessionPool } from './pool/session-pool.ts'
import type { PostgresDatabase } from './pool/url.ts'
import { recordWriter } from './record-writer.ts'
import { numbered, PostgresTransaction } from './transaction.ts'

/** Not admitted yet: its address must first be compared with these networks. Null means everywhere. */
interface NetworkCheck {
  networks: string | null
  outside: RefusedKey
}

/** A waiting request takes about 20 KB with its socket, so an unresponsive database costs at most 100 MB. */
const ADMISSIONS = { maxRunning: 4, maxWaiting: 5000, maxWaitingForOne: 1000 }

/** Load balancers wait for a second, but a delayed read fails only after two. */
const READS_WAIT_MS = 500

/** One pool can only read. The other admits keys and records usage, and its role can do nothing else. */
export class PostgresPublicStore extends BasePublicStore implements PublicStore {
  readonly #reading: SessionPool
  /** Fewer than the connections for reading. */
  readonly #snapshots = new Slots({ total: 3, each: 2, waiting: 200 })
  readonly #counting: SessionPool
  readonly #admissions: Batcher<AdmissionResult | NetworkCheck>
  /** The last known networks of keys that have or had any. They may be outdated: the statement compares them. */
  readonly #networks = new Lru<string>(1000)
  #hasRead = false
  /** Shared by probes, so that delayed reads do not take all connections. */
  readonly #tryReadsOnce = shareConcurrent(() => this.tryReads())

  constructor(database: PostgresDatabase, resources: readonly StoredResource[], options: PublicStoreOptions) {
    const counting = createPool(database, { purpose: 'admits', max: 5 })
    super(resources, options, recordWriter(counting))
    this.#counting = counting
    this.#reading = createPool(database, { purpose: 'reads', max: 4, readOnly: true })
    this.#admissions = new Batcher(ADMISSIONS, async (waiting) => {
      const rows = await this.#admitAll([...waiting.keys()], [...waiting.values()])
      return (asked, index) => {
        const row = rows.get(asked)
        if (row === undefined) return undefined
        if (row.refusal !== null) return toRefused(row, row.refusal)
        if (!row.is_compared) return { networks: row.networks, outside: toRefused(row, 'network') }
        // The statement counted the whole batch, in order of arrival.
        return toAdmission(row, row.counted ? row.used - row.remaining + index + 1 : row.used)
      }
    })
  }

  async rows<Row>(name: string, sql: string, ...values: (string | number)[]) {
    const { rows } = await this.#reading.query<Row & QueryResultRow>({ name, text: numbered(sql), values })
    return rows as Row[]
  }

  utf8Of(text: string) {
    return `convert_to(${text}, 'UTF8')`
  }

  snapshot<T>(workspaceId: string, read: (connection: Pick<SqlConnection, 'all'>) => Promise<T>): Promise<T> {
    return this.#snapshots.run(() => this.#reading.snapshot((client) => read(new PostgresTransaction(client, 0))), {
      holder: workspaceId,
    })
  }

  async admit(keyHash: string, address?: string): Promise<AdmissionResult> {
    const last = this.#networks.get(keyHash)
    let asked = askedFor(keyHash, last !== undefined && isWithin(last, address) ? last : null)
    for (;;) {
      const result = await this.#admissions.request(asked)
      if (result === undefined || !('outside' in result)) return result
      const { networks, outside } = result
      if (networks !== null && !isWithin(networks, address)) return outside
      // No address is within the empty text, so a key that has no networks any more is looked up without them.
      this.#networks.set(keyHash, networks ?? '')
      asked = askedFor(keyHash, networks)
    }
  }

  async #admitAll(asked: string[], counts: number[]): Promise<Map<string, AdmittedRow>> {
    const { limit, windowSeconds } = this.options.defaultQuota
    const values = [asked, counts, limit, windowSeconds, this.#testNow()]
    const { rows } = await this.#counting.query<AdmittedRow>({ name: 'admit', text: ADMIT, values })
    return new Map(rows.map((row) => [row.asked, row]))
  }

  async recheck(keyHash: string, address?: string) {
    const row = await this.#readOne<AccessRow>('recheck', RECHECK, keyHash, this.#testNow())
    if (row === undefined) return undefined
    if (row.refusal !== null) return toRefused(row, row.refusal)
    return row.networks === null || isWithin(row.networks, address) ? toAccess(row) : toRefused(row, 'network')
  }

  async quotaInUse(keyId: string, { windowSeconds }: Quota) {
    const values = [keyId, this.#testNow(), windowSeconds]
    const row = await this.#readOne<Pick<AdmittedRow, 'used' | 'resets_at'>>('quota in use', QUOTA_IN_USE, ...values)
    return row && { used: row.used, resetsAt: Date.parse(row.resets_at) }
  }

  async #readOne<Row extends QueryResultRow>(name: string, text: string, ...values: unknown[]) {
    return (await this.#reading.query<Row>({ name, text, values })).rows[0]
  }

  #testNow(): string | null {
    const { clock } = this.options
    return clock === undefined ? null : isoOf(clock())
  }

  async ping() {
    // Not queued: a long queue does not mean that the database is down.
    await Promise.all([this.#admitAll([NO_KEY_HASH], [0]), this.#probeReads()])
  }

  /** A locked table delays all replicas, but cached responses are still served, so a replica that has read before stays ready. */
  async #probeReads(): Promise<void> {
    const reading = this.#tryReadsOnce().catch((error) => {
      if (!this.#hasRead || !isDelayed(error)) throw error
    })
    await (this.#hasRead ? Promise.race([reading, delay(READS_WAIT_MS, undefined, { ref: false })]) : reading)
    this.#hasRead = true
  }

  stats() {
    return {
      queues: { ...this.requests.queues, admissions: this.#admissions.occupancy },
      pools: [this.#reading.stats('reads'), this.#counting.stats('admits')],
    }
  }

  async close(waitMs = CLOSE_WAIT_MS) {
    await this.closeRecords(waitMs)
    await Promise.all([this.#reading.end(), this.#counting.end()])
  }
}
