import { permissionsOf } from '../key-row.ts'
import { NO_KEY_HASH } from '../readiness.ts'
import type { Admission, Quota } from '../store.ts'
import type { SessionPool } from './session-pool.ts'

/** Statements under way at once; whoever comes meanwhile shares the next one. */
const MAX_UNDER_WAY = 4

interface Waiting {
  resolve(admission: Admission | undefined): void
  reject(error: unknown): void
}

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

/**
 * Admits requests with one statement: key by hash, state and revision of its workspace, and the count of its quota. The
 * requests that were read in one turn of the event loop travel together, and each still gets a place of its own in the
 * count. The statement is sent after the last of them arrived, so all see every change made before they were sent.
 *
 * The time of the database is the time of all replicas, however their own clocks differ.
 */
export class AdmissionDesk {
  readonly #pool: SessionPool
  readonly #clock: (() => number) | undefined
  #waiting = new Map<string, Waiting[]>()
  #quota: Quota | undefined
  #underWay = 0
  #isScheduled = false
  readonly #refused = new RefusedKeys()

  constructor(pool: SessionPool, clock: (() => number) | undefined) {
    this.#pool = pool
    this.#clock = clock
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    const refusal = this.#refused.find(keyHash, this.#localTime())
    if (refusal !== undefined) return Promise.resolve(refusal)
    this.#quota = defaultQuota
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(keyHash)
      if (others === undefined) this.#waiting.set(keyHash, [{ resolve, reject }])
      else others.push({ resolve, reject })
      this.#schedule()
    })
  }

  /**
   * The same statement for a key that nobody has: it counts nothing, but PostgreSQL checks that it might. Not in the
   * queue of requests: how long that is says nothing about whether the database would answer.
   */
  async tryOut(): Promise<void> {
    await this.#ask(new Map([[NO_KEY_HASH, []]]))
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || this.#underWay >= MAX_UNDER_WAY) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#send()
    })
  }

  async #send(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = new Map()
    this.#underWay++
    try {
      const sentAt = this.#localTime()
      const rows = await this.#ask(batch)
      for (const [hash, waiting] of batch) this.#answer(hash, waiting, rows.get(hash), sentAt)
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error)
    } finally {
      this.#underWay--
      this.#schedule()
    }
  }

  async #ask(batch: Map<string, Waiting[]>): Promise<Map<string, Row>> {
    const { rows } = await this.#pool.query<Row>({
      name: 'admit',
      text: ADMIT,
      values: [
        [...batch.keys()],
        [...batch.values()].map((waiting) => waiting.length),
        this.#quota?.limit,
        this.#quota?.windowSeconds,
        this.#clock === undefined ? null : new Date(this.#clock()).toISOString(),
      ],
    })
    return new Map(rows.map((row) => [row.hash, row]))
  }

  #answer(hash: string, waiting: Waiting[], row: Row | undefined, sentAt: number): void {
    if (row === undefined) {
      for (const { resolve } of waiting) resolve(undefined)
      return
    }
    const now = Date.parse(row.now)
    const resetsAt = Date.parse(row.resets_at)
    const quota = { limit: row.quota_limit, windowSeconds: row.quota_seconds }
    const admission = (used: number): Admission => ({
      keyId: row.id,
      workspaceId: row.workspace_id,
      permissions: new Set(permissionsOf(row)),
      quota,
      window: { used, resetsAt },
      available: row.available,
      revision: row.revision,
      now,
    })
    if (row.used > quota.limit) this.#refused.add(hash, admission(row.used), sentAt)
    // The statement counted them all: the first of them has the lowest place.
    const before = row.used - waiting.length
    waiting.forEach(({ resolve }, i) => {
      resolve(admission(before + i + 1))
    })
  }

  /** For waiting times only; unlike the time of day it never jumps. */
  #localTime(): number {
    return this.#clock === undefined ? performance.now() : this.#clock()
  }
}

/** Keys over their quota, which need no second look until their window ends. */
class RefusedKeys {
  readonly #refusals = new Map<string, { admission: Admission; since: number }>()

  /** Counted from before the statement was sent, so that the window never ends later here than in the database. */
  add(hash: string, admission: Admission, since: number): void {
    if (this.#refusals.size >= 10_000) this.#refusals.clear()
    this.#refusals.set(hash, { admission, since })
  }

  find(hash: string, localTime: number): Admission | undefined {
    if (this.#refusals.size === 0) return undefined
    const refusal = this.#refusals.get(hash)
    if (refusal === undefined) return undefined
    const { admission, since } = refusal
    const now = admission.now + (localTime - since)
    if (now >= admission.now && now < admission.window.resetsAt) return { ...admission, now }
    this.#refusals.delete(hash)
    return undefined
  }
}

const ADMIT = `
  WITH moment AS MATERIALIZED (
    SELECT coalesce($5::timestamptz, clock_timestamp()) AS now
  ), live AS MATERIALIZED (
    SELECT asked.hash, asked.requests, k.id, k.workspace_id, k.permissions,
           coalesce(k.rate_limit, $3::int) AS quota_limit, coalesce(k.rate_window_seconds, $4::int) AS quota_seconds,
           w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
    FROM unnest($1::text[], $2::int[]) AS asked (hash, requests)
    CROSS JOIN moment
    JOIN vitrine.api_keys k ON k.hash = asked.hash AND k.revoked_at IS NULL
                           AND (k.expires_at IS NULL OR k.expires_at > moment.now)
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id
  ), counted AS (
    INSERT INTO vitrine.quota_windows AS q (key_id, resets_at, used)
    SELECT id, now + quota_seconds * interval '1 second', requests FROM live
    ORDER BY id -- two statements that lock the same keys do so in the same order
    ON CONFLICT (key_id) DO UPDATE SET (used, resets_at) = (
      SELECT CASE WHEN has_ended THEN excluded.used ELSE q.used + excluded.used END,
             CASE WHEN has_ended THEN excluded.resets_at ELSE q.resets_at END
      -- A window that ends much later than one opened now would is of a clock that was set back. Not merely later: while
      -- this statement waited for the row, another may have opened the window a little after this one's moment.
      FROM (SELECT now >= q.resets_at OR q.resets_at > excluded.resets_at + interval '1 day' AS has_ended FROM moment) AS w
    )
    RETURNING key_id, used, resets_at
  )
  SELECT live.*, counted.used, counted.resets_at FROM live JOIN counted ON counted.key_id = live.id`
