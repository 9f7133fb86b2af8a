import type { Occupancy } from '../../lib/fair-share.ts'
import { NO_KEY_HASH } from '../queries.ts'
import { type Admission, parsePermissions, type Quota } from '../store.ts'
import { Batcher } from './batcher.ts'
import type { SessionPool } from './session-pool.ts'

/**
 * About 20 KB each with their sockets, so a database that has stopped answering costs 100 MB at most. More requests would
 * only wait some seconds to fail.
 */
const MAX_WAITING = 5000
/** So that one key leaves most places to the others. */
const MAX_WAITING_OF_KEY = 1000
const BOUNDS = { maxUnderWay: 4, maxWaiting: MAX_WAITING, maxWaitingForOne: MAX_WAITING_OF_KEY }

interface Row {
  hash: string
  id: string
  workspace_id: string
  permissions: string
  quota_limit: number
  quota_seconds: number
  available: boolean
  revision: number
  counted: boolean
  used: number
  resets_at: string
  now: string
}

/**
 * Admits requests with one statement: the key by its hash, the state and revision of its workspace, and the count of its
 * quota. Each request of a batch still gets its own place in the count.
 *
 * A key that is over its quota is looked up but not counted, so a flood of refusals writes nothing, and a quota that was
 * raised admits at once. The time is the database's, so it is the same for all replicas.
 */
export class AdmissionBatcher {
  readonly #pool: SessionPool
  readonly #clock: (() => number) | undefined
  readonly #requests: Batcher<Admission | undefined>
  #quota: Quota | undefined

  constructor(pool: SessionPool, clock: (() => number) | undefined) {
    this.#pool = pool
    this.#clock = clock
    this.#requests = new Batcher(BOUNDS, async (waiting) => {
      const rows = await this.#ask([...waiting.keys()], [...waiting.values()])
      return (hash, place) => {
        const row = rows.get(hash)
        // The statement counted the whole batch; the first request of it has the lowest place.
        return row && toAdmission(row, row.counted ? row.used - (waiting.get(hash) ?? 0) + place + 1 : row.used)
      }
    })
  }

  get occupancy(): Occupancy {
    return this.#requests.occupancy
  }

  admit(keyHash: string, defaultQuota: Quota): Promise<Admission | undefined> {
    this.#quota = defaultQuota
    return this.#requests.ask(keyHash)
  }

  /**
   * The same statement for a key that does not exist: it counts nothing, but PostgreSQL checks the privileges. Not queued
   * with the requests: the length of the queue does not say whether the database answers.
   */
  async probe(): Promise<void> {
    await this.#ask([NO_KEY_HASH], [0])
  }

  async #ask(hashes: string[], counts: number[]): Promise<Map<string, Row>> {
    const now = this.#clock === undefined ? null : new Date(this.#clock()).toISOString()
    const values = [hashes, counts, this.#quota?.limit, this.#quota?.windowSeconds, now]
    const { rows } = await this.#pool.query<Row>({ name: 'admit', text: ADMIT, values })
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

/** If a window ends much later than a new one would, the clock was set back. */
export const windowHasEnded = (endOfNew: string) => `now >= q.resets_at OR q.resets_at > ${endOfNew} + interval '1 day'`

/**
 * A window that was lost in a crash counts as none. What a key over its quota has used is read as it was before the statement;
 * if it came to be over it since, its row was locked, and it is counted.
 */
const ADMIT = `
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
  ), refused AS MATERIALIZED (
    SELECT q.key_id, q.used, q.resets_at FROM live JOIN vitrine.quota_windows q ON q.key_id = live.id
    WHERE q.used > quota_limit AND NOT (${windowHasEnded("now + quota_seconds * interval '1 second'")})
  ), counted AS (
    INSERT INTO vitrine.quota_windows AS q (key_id, resets_at, used)
    SELECT id, now + quota_seconds * interval '1 second', requests FROM live
    WHERE NOT EXISTS (SELECT FROM refused WHERE refused.key_id = live.id)
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
  SELECT live.*, result.* FROM live JOIN (
    SELECT *, true AS counted FROM counted UNION ALL SELECT *, false FROM refused
  ) AS result ON result.key_id = live.id`
