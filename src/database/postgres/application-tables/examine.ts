import { finding, type HealthFinding } from '../../finding.ts'
import type { SessionPool } from '../pool/session-pool.ts'

const MAX_NAMED = 10

const GRANTS = 'docs/sql/own-tables-grants.sql'

/** Reports which rows of an application's own tables are not shown, and why. Empty if there are no such tables. */
export async function examineApplicationTables(pool: SessionPool): Promise<HealthFinding[]> {
  const { rows: views } = await pool.query<{ name: string; table: string; source: string }>(`
    SELECT relname AS name, split_part(relname, '_from_', 1) AS table, substring(relname FROM '_from_(.*)$') AS source
    FROM pg_class WHERE relnamespace = 'vitrine'::regnamespace AND relkind = 'v'
      AND split_part(relname, '_from_', 1) IN (SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables)
      AND relname ~ '_from_.'
    ORDER BY relname`)
  if (views.length === 0) return []
  const problems: string[] = []
  for (const { name, table, source } of views) {
    const rows = await leftOut(pool, table, source)
    if (typeof rows === 'string') {
      problems.push(`${name} cannot be read: ${rows}; the application's writes fail until this is fixed, see ${GRANTS}`)
      continue
    }
    const sample = rows.slice(0, MAX_NAMED).map(({ id, fault }) => `${table} ${JSON.stringify(id)}: ${fault}`)
    problems.push(...sample, ...(rows.length > MAX_NAMED ? [`and more ${table} of ${source}`] : []))
  }
  const ok = problems.length === 0
  const names = views.map(({ name }) => name).join(', ')
  return [finding('own tables', ok, ok ? `${names}: every row is shown` : `not shown: ${problems.join('; ')}`)]
}

interface LeftOut {
  id: string | null
  fault: string
}

/** Returns PostgreSQL's message if the view lacks a privilege or an object (class 42). */
async function leftOut(pool: SessionPool, table: string, source: string): Promise<LeftOut[] | string> {
  try {
    const text = 'SELECT id, fault FROM vitrine.left_out($1, $2, $3)'
    return (await pool.read<LeftOut>({ text, values: [table, source, MAX_NAMED + 1] })).rows
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('42')) return message
    throw error
  }
}
