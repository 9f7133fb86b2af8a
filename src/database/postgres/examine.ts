import { formatCount } from '../../lib/format-count.ts'
import type { HealthFinding } from '../store.ts'
import type { SchemaObject, Table } from '../table.ts'
import { examineObjects, type PresentObject, recordedObject } from '../table-changes.ts'
import { examineGrants } from './examine-grants.ts'
import { examineOwnTables } from './examine-own-tables.ts'
import { recordedTables } from './migrate.ts'
import type { SessionPool } from './session-pool.ts'

/** More than clocks that are set by NTP ever differ. */
const CLOCK_TOLERANCE_MS = 10_000

/** What an operator should know of the server before trusting it. */
export async function examine(pool: SessionPool, tables: readonly Table[]): Promise<HealthFinding[]> {
  const askedAtMs = Date.now()
  const { rows } = await pool.query<Report>(`
    SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
           pg_size_pretty(pg_database_size(current_database())) AS size,
           current_setting('max_connections')::int AS max,
           (SELECT count(*) FROM pg_stat_activity) AS used, clock_timestamp() AS now`)
  const { version = '', standby = false, size = '', max = 0, used = 0, now = '' } = rows[0] ?? {}
  return [
    {
      check: 'database',
      ok: !standby,
      detail: standby ? 'a standby, which cannot be written' : `PostgreSQL ${version}`,
      ...(standby && { hint: 'point DATABASE_URL at the primary' }),
    },
    { check: 'database size', ok: true, detail: size },
    {
      check: 'connections',
      ok: used < max * 0.9,
      detail: `${used} of ${max}`,
      ...(used >= max * 0.9 && { hint: 'raise max_connections or run fewer replicas' }),
    },
    await schema(pool),
    clock(Date.parse(now), askedAtMs, Date.now()),
    await examineGrants(pool, tables),
    ...(await examineOwnTables(pool)),
  ]
}

/** The triggers of the migrations: what they keep, no constraint does. */
const ownTriggers = Object.entries({
  workspaces: { workspace_changed: 'always', workspaces_truncated: 'always', workspace_checked: undefined },
  api_keys: { key_kept: undefined, key_rules_checked: undefined },
  members: { member_checked: undefined },
  own_changes: { own_changes_shown: undefined },
  audit: { audit_unchanging: undefined, audit_untruncated: undefined },
} satisfies Record<string, Record<string, SchemaObject['enabled']>>).map(([name, triggers]) => ({
  name,
  objects: JSON.stringify(
    Object.entries<SchemaObject['enabled']>(triggers).map(([trigger, enabled]) =>
      recordedObject({ kind: 'trigger', name: trigger, sql: '', ...(enabled !== undefined && { enabled }) }),
    ),
  ),
}))

/** A trigger that is disabled is as good as dropped, and so is a constraint whose triggers are. */
async function schema(pool: SessionPool): Promise<HealthFinding> {
  const { rows } = await pool.query<PresentObject>(`
    SELECT 'index' AS kind, indexname AS name, NULL AS enabled FROM pg_indexes WHERE schemaname = 'vitrine'
    UNION ALL SELECT 'function', proname, NULL FROM pg_proc WHERE pronamespace = 'vitrine'::regnamespace
    UNION ALL SELECT 'trigger', tgname, CASE tgenabled WHEN 'A' THEN 'always' WHEN 'R' THEN 'replica' WHEN 'D' THEN 'disabled' END
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = 'vitrine'::regnamespace AND NOT tgisinternal
    UNION ALL SELECT 'constraint', conname, NULL FROM pg_constraint WHERE connamespace = 'vitrine'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = pg_constraint.oid AND tgenabled = 'D')`)
  const ofResources = examineObjects(await recordedTables(pool), rows, 'contract/tables.postgres.sql')
  return ofResources.ok ? examineObjects(ownTriggers, rows, 'src/database/postgres/migrations') : ofResources
}

/** The database's clock decides on keys and quotas, but expiries are set by the clocks of other machines. */
function clock(theirsMs: number, askedAtMs: number, answeredAtMs: number): HealthFinding {
  // The database read its clock between our two readings, so only a time outside of them is wrong.
  const aheadMs = Math.max(0, askedAtMs - theirsMs) - Math.max(0, theirsMs - answeredAtMs)
  const ok = Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS
  const seconds = formatCount(Math.round(Math.abs(aheadMs) / 1000))
  const where = aheadMs > 0 ? 'ahead of' : 'behind'
  if (ok) return { check: 'clock', ok, detail: 'agrees with the database' }
  const detail = `this machine is ${seconds} seconds ${where} the database`
  return { check: 'clock', ok, detail, hint: 'set both clocks by NTP' }
}

interface Report {
  version: string
  standby: boolean
  size: string
  max: number
  used: number
  now: string
}
