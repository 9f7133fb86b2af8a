import type { DatabaseSync } from 'node:sqlite'
import { HOUR_MS } from '../../lib/duration.ts'
import { counted } from '../../lib/format-count.ts'
import { finding, type HealthFinding, warning } from '../finding.ts'
import { schemaFinding } from '../tables/schema-difference.ts'
import { spaceOf } from './files/space.ts'
import { schemaDifferences } from './schema.ts'

export async function examine(db: DatabaseSync, path: string): Promise<HealthFinding[]> {
  const { backupMs } = await spaceOf(path)
  return [integrity(db), schemaFinding(schemaDifferences(db)), lastBackup(backupMs)]
}

function integrity(db: DatabaseSync): HealthFinding {
  const problems = db.prepare('PRAGMA quick_check').all().flatMap(Object.values)
  const ok = problems.length === 1 && problems[0] === 'ok'
  const hint = "put a backup in place with 'vitrine restore FILE', never by copying over the file"
  return finding('database integrity', ok, ok ? 'sound' : `damaged: ${problems[0]}`, hint)
}

/** The alert rules in docs/metrics/alerts.yaml have the same limit. */
const BACKUP_OLD_HOURS = 48

function lastBackup(backupMs: number | undefined): HealthFinding {
  if (backupMs === undefined) return finding('backup', true, "none by 'vitrine backup --keep' yet")
  const hours = Math.floor((Date.now() - backupMs) / HOUR_MS)
  const detail = `the last one that was verified is ${hours < 1 ? 'less than an hour' : counted(hours, 'hour')} old`
  if (hours < BACKUP_OLD_HOURS) return finding('backup', true, detail)
  return warning('backup', detail, "check the timer that runs 'vitrine backup --keep', and its log")
}
