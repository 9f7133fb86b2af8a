import { formatCount } from '../../lib/format-count.ts'
import { finding, type HealthFinding } from '../finding.ts'
import { schemaFinding } from '../tables/schema-difference.ts'
import { schemaDifferences } from './catalogue.ts'
import { examineGrants } from './examine-grants.ts'
import type { SessionPool } from './pool/session-pool.ts'

/** More than clocks synchronised by NTP ever differ. */
const CLOCK_TOLERANCE_MS = 10_000

export async function examine(pool: SessionPool): Promise<HealthFinding[]> {
  const askedAtMs = Date.now()
  const { rows } = await pool.query<Report>({
    text: `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
           pg_size_pretty(pg_database_size(current_database())) AS size,
           current_setting('max_connections')::int AS max,
           (SELECT count(*) FROM pg_stat_activity) AS used, clock_timestamp() AS now`,
  })
  const { version = '', standby = false, size = '', max = 0, used = 0, now = '' } = rows[0] ?? {}
  return [
    standby
      ? finding('database', false, 'a standby, which is read-only', 'point DATABASE_URL at the primary')
      : finding('database', true, `PostgreSQL ${version}`),
    finding('database size', true, size),
    finding('connections', used < max * 0.9, `${used} of ${max}`, 'raise max_connections or run fewer replicas'),
    schemaFinding(await pool.snapshot(schemaDifferences)),
    clock(Date.parse(now), askedAtMs, Date.now()),
    await examineGrants(pool),
  ]
}

/** Stored times come from the database's clock; logs and notices use this machine's. */
function clock(databaseMs: number, askedAtMs: number, respondedAtMs: number): HealthFinding {
  // The database read its clock between our two readings, so only a time outside that interval is wrong.
  const aheadMs = Math.max(0, askedAtMs - databaseMs) - Math.max(0, databaseMs - respondedAtMs)
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return finding('clock', true, 'agrees with the database')
  const seconds = formatCount(Math.round(Math.abs(aheadMs) / 1000))
  const detail = `this machine is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the database`
  return finding('clock', false, detail, 'synchronise both clocks with NTP')
}

interface Report {
  version: string
  standby: boolean
  size: string
  max: number
  used: number
  now: string
}
