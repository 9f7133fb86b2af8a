import type { HealthFinding } from '../store.ts'
import type { SessionPool } from './session-pool.ts'

/** What an operator wants to know of the server before trusting it. */
export async function examine(pool: SessionPool): Promise<HealthFinding[]> {
  const { rows } = await pool.query<Report>(`
    SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
           pg_size_pretty(pg_database_size(current_database())) AS size,
           current_setting('max_connections')::int AS max,
           (SELECT count(*) FROM pg_stat_activity) AS used`)
  const { version = '', standby = false, size = '', max = 0, used = 0 } = rows[0] ?? {}
  return [
    {
      check: 'database',
      ok: !standby,
      detail: standby ? 'a standby, which cannot be written' : `PostgreSQL ${version}`,
    },
    { check: 'database size', ok: true, detail: size },
    {
      check: 'connections',
      ok: used < max * 0.9,
      detail: `${used} of ${max}${used < max * 0.9 ? '' : '; raise max_connections or run fewer replicas'}`,
    },
  ]
}

interface Report {
  version: string
  standby: boolean
  size: string
  max: number
  used: number
}
