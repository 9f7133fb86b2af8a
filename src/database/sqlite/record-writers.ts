import type { DatabaseSync } from 'node:sqlite'
import { dayIn } from '../days.ts'
import type { ReportedIncident, WriteIncidents } from '../key-recorders.ts'
import type { IncidentKind } from '../store.ts'
import type { WriteUses } from '../use-recorder.ts'
import { writeSoon } from './write-lock.ts'

/** The day of a time in the timezone of a key's workspace. */
function keyDays(db: DatabaseSync): (keyId: string, at: string) => string {
  const zoneOf = db.prepare(
    'SELECT w.timezone FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.id = ?',
  )
  return (keyId, at) => {
    const found = zoneOf.get(keyId) as { timezone: string | null } | undefined
    return dayIn(found?.timezone ?? null, Date.parse(at))
  }
}

export function useWriter(db: DatabaseSync): WriteUses {
  const dayOf = keyDays(db)
  const upsert = db.prepare(`
    INSERT INTO key_use (key_id, day, count, refused, first_at, first_client, last_at, last_client)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      count = count + excluded.count,
      refused = refused + excluded.refused,
      first_at = coalesce(first_at, excluded.first_at),
      first_client = CASE WHEN first_at IS NULL THEN excluded.first_client ELSE first_client END,
      last_at = max(last_at, excluded.last_at),
      last_client = CASE WHEN excluded.last_at >= last_at THEN excluded.last_client ELSE last_client END`)
  const upsertCaller = db.prepare(`
    INSERT INTO key_callers (key_id, address, agent, count, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`)
  return async (uses) =>
    writeSoon(db, () => {
      for (const { keyId, count, refused, firstAt, firstClient, lastAt, lastClient, callers } of uses) {
        upsert.run(keyId, dayOf(keyId, lastAt), count, refused, firstAt, firstClient, lastAt, lastClient)
        for (const { address, agent, ...seen } of callers)
          upsertCaller.run(keyId, address, agent, seen.count, seen.firstAt, seen.lastAt)
      }
    })
}

interface Found {
  id: string
  revoked_at: string | null
  expires_at: string | null
  retires_at: string | null
  paused_at: string | null
}

/** Undefined if it works, or works again. */
function whyRefused({ revoked_at, expires_at, retires_at, paused_at }: Found, at: string): IncidentKind | undefined {
  if (revoked_at !== null) return 'revoked'
  if ((expires_at !== null && expires_at <= at) || (retires_at !== null && retires_at <= at)) return 'expired'
  return paused_at === null ? undefined : 'paused'
}

/** Looks up the key of each report, and writes those that have one. */
export function incidentWriter(db: DatabaseSync): WriteIncidents {
  const dayOf = keyDays(db)
  const byHash = db.prepare('SELECT id, revoked_at, expires_at, retires_at, paused_at FROM api_keys WHERE hash = ?')
  const byPrefix = db.prepare('SELECT id FROM api_keys WHERE prefix = ?')
  const upsert = db.prepare(`
    INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at, client) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      count = count + excluded.count,
      last_at = max(last_at, excluded.last_at),
      client = CASE WHEN excluded.last_at >= last_at THEN excluded.client ELSE client END`)

  function resolve(report: ReportedIncident): { keyId: string; kind: IncidentKind } | undefined {
    const { keyId, hash, prefix, kind, lastAt } = report
    if (keyId !== undefined) return kind === 'unauthorized' ? undefined : { keyId, kind }
    const exact = hash === undefined ? undefined : (byHash.get(hash) as Found | undefined)
    if (exact !== undefined) {
      if (kind !== 'unauthorized') return { keyId: exact.id, kind }
      const why = whyRefused(exact, lastAt)
      return why && { keyId: exact.id, kind: why }
    }
    const alike = prefix === undefined ? undefined : (byPrefix.get(prefix) as Found | undefined)
    return alike && { keyId: alike.id, kind: kind === 'unauthorized' ? 'unknown' : kind }
  }

  return async (incidents) => {
    const known = incidents.flatMap((report) => {
      const found = resolve(report)
      return found === undefined ? [] : [{ ...report, ...found }]
    })
    // Keys that never existed are no reason to take the write lock.
    if (known.length === 0) return true
    return writeSoon(db, () => {
      for (const { keyId, kind, count, firstAt, lastAt, client } of known)
        upsert.run(keyId, dayOf(keyId, lastAt), kind, count, firstAt, lastAt, client)
    })
  }
}
