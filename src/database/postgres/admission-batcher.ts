import type { Occupancy } from '../../lib/fair-share.ts'
import { parsePermissions } from '../key-row.ts'
import { NO_KEY_HASH } from '../readiness.ts'
import type { Admission, Quota } from '../store.ts'
import { Batcher } from './batcher.ts'
import type { SessionPool } from './session-pool.ts'

/**
 * About 20 KB each with their sockets, so a database that has stopped answering costs 100 MB at most. More requests would
 * only wait some seconds to fail.
 */
const MAX_WAITING = 5000
/** So that one key leaves most places to the others. */
const MAX_WAITING_OF_KEY = 1000
const COUNTING = { maxUnderWay: 4, maxWaiting: MAX_WAITING, maxWaitingForOne: MAX_WAITING_OF_KEY }
/** Keys over their quota share one connection: they are refused anyway. */
const REFUSING = { ...COUNTING, maxUnderWay: 1 }
/** Keys known to be over their quota. If there are more, all are forgotten and counted again with their next request. */
const MAX_OVER_QUOTA = 10_000

interface Row {
  hash: string
  id: string
  workspace_id: string
  permissions: string
  quota_limit: number
  quota_seconds: number
  available: boolean
  revision: number
  used: number
  resets_at: string
  now: string
}

/** The result for a key that is no longer over its quota: its requests must be counted. */
const COUNT = Symbol('count')

/**
 * Admits requests with one statement: the key by its hash, the state and revision of its workspace, and the count of its
 * quota. Each request of a batch still gets its own place in the count.
 *
 * A key known to be over its quota is no longer counted, so a flood of refusals writes nothing. It is still looked up for
 * each request: if it was revoked or has expired it is refused as such, and if its quota was raised it is admitted at once.
 *
 * The time is the database's, so it is the same for all replicas.
 */
export class AdmissionBatcher {
  readonly #pool: SessionPool
  readonly #clock: (() => number) | undefined
  readonly #overQuota = new Set<string>()
  readonly #counting: Batcher<Admission | undefined>
  readonly #refusing: Batcher<Admission | undefined | typeof COUNT>
  #quota: Quota | undefined

  constructor(pool: SessionPool, clock: (() => number) | undefined) {
    this.#pool = pool
    this.#clock = clock
    this.#counting = new Batcher(COUNTING, (waiting) => this.#count(waiting))
    this.#refusing = new Batcher(REFUSING, (waiting) => this.#readOverQuota(waiting))
  }

  /** Of those to be counted; keys over their quota have a queue of their own, and are refused anyway. */
  get occupancy(): Occupancy {
    return this.#counting.occupancy
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    this.#quota = defaultQuota
    return this.#overQuota.has(keyHash) ? this.#refuse(keyHash) : this.#counting.ask(keyHash)
  }

  /**
   * The same statement for a key that does not exist: it counts nothing, but PostgreSQL checks the privileges. Not queued
   * with the requests: the length of the queue does not say whether the database answers.
   */
  async probe(): Promise<void> {
    await this.#ask('admit', ADMIT, [NO_KEY_HASH], [0])
  }

  async #refuse(keyHash: string): Promise<Admission | undefined> {
    const refusal = await this.#refusing.ask(keyHash)
    if (refusal !== COUNT && refusal !== undefined) return refusal
    this.#overQuota.delete(keyHash)
    return refusal === COUNT ? this.#counting.ask(keyHash) : undefined
  }

  async #count(waiting: ReadonlyMap<string, number>) {
    const rows = await this.#ask('admit', ADMIT, [...waiting.keys()], [...waiting.values()])
    for (const { hash, used, quota_limit } of rows.values()) if (used > quota_limit) this.#rememberOverQuota(hash)
    return (hash: string, place: number) => {
      const row = rows.get(hash)
      // The statement counted the whole batch; the first request of it has the lowest place.
      return row && toAdmission(row, row.used - (waiting.get(hash) ?? 0) + place + 1)
    }
  }

  #rememberOverQuota(hash: string): void {
    if (this.#overQuota.size >= MAX_OVER_QUOTA) this.#overQuota.clear()
    this.#overQuota.add(hash)
  }

  async #readOverQuota(waiting: ReadonlyMap<string, number>) {
    const rows = await this.#ask('admit over quota', OVER_QUOTA, [...waiting.keys()], null)
    return (hash: string) => {
      const row = rows.get(hash)
      return row === undefined ? undefined : row.used > row.quota_limit ? toAdmission(row, row.used) : COUNT
    }
  }

  async #ask(name: string, text: string, hashes: string[], counts: number[] | null): Promise<Map<string, Row>> {
    const now = this.#clock === undefined ? null : new Date(this.#clock()).toISOString()
    const values = [hashes, counts, this.#quota?.limit, this.#quota?.windowSeconds, now]
    const { rows } = await this.#pool.query<Row>({ name, text, values })
    return new Map(rows.map((row) => [row.hash, row]))
  }
}

const toAdmission = (row: Row, used: number): Admission => ({
  keyId: row.id,
  workspaceId: row.workspace_id,
  permissions: new Set(parsePermissions(row.permissions)),
  quota: { limit: row.quota_limit, windowSeconds: row.quota_seconds },
  window: { used, resetsAt: Date.parse(row.resets_at) },
  available: row.available,
  revision: row.revision,
  now: Date.parse(row.now),
})

/** Of a key `k`, by the time of `moment`. */
export const KEY_WORKS = `k.revoked_at IS NULL AND k.paused_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > moment.now) AND (k.retires_at IS NULL OR k.retires_at > moment.now)`

const LIVE_KEYS = `
  WITH moment AS MATERIALIZED (
    SELECT coalesce($5::timestamptz, clock_timestamp()) AS now
  ), live AS MATERIALIZED (
    SELECT asked.hash, asked.requests, k.id, k.workspace_id, k.permissions,
           coalesce(k.rate_limit, $3::int) AS quota_limit, coalesce(k.rate_window_seconds, $4::int) AS quota_seconds,
           w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
    FROM unnest($1::text[], $2::int[]) AS asked (hash, requests)
    CROSS JOIN moment
    JOIN vitrine.api_keys k ON k.hash = asked.hash AND ${KEY_WORKS}
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id
  )`

/** If a window ends much later than a new one would, the clock was set back. */
export const windowHasEnded = (endOfNew: string) => `now >= q.resets_at OR q.resets_at > ${endOfNew} + interval '1 day'`

const ADMIT = `${LIVE_KEYS}, counted AS (
    INSERT INTO vitrine.quota_windows AS q (key_id, resets_at, used)
    SELECT id, now + quota_seconds * interval '1 second', requests FROM live
    ORDER BY id -- two statements that lock the same keys do so in the same order
    ON CONFLICT (key_id) DO UPDATE SET (used, resets_at) = (
      SELECT CASE WHEN has_ended THEN excluded.used ELSE q.used + excluded.used END,
             CASE WHEN has_ended THEN excluded.resets_at ELSE q.resets_at END
      -- Not merely later: while this statement waited for the row, another may have opened the window just after this
      -- one's moment.
      FROM (SELECT ${windowHasEnded('excluded.resets_at')} AS has_ended FROM moment) AS w
    )
    RETURNING key_id, used, resets_at
  )
  SELECT live.*, counted.used, counted.resets_at FROM live JOIN counted ON counted.key_id = live.id`

/** A window that has ended, or was lost in a crash, counts as 0. */
const OVER_QUOTA = `${LIVE_KEYS}
  SELECT live.*, CASE WHEN q.key_id IS NULL OR ${windowHasEnded("live.now + quota_seconds * interval '1 second'")} THEN 0
                      ELSE q.used END AS used, coalesce(q.resets_at, live.now) AS resets_at
  FROM live LEFT JOIN vitrine.quota_windows q ON q.key_id = live.id`
