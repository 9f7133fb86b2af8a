import type { DatabaseSync } from 'node:sqlite'
import type { SeenIncident, WriteIncidents } from '../incident-recorder.ts'
import type { IncidentKind } from '../store.ts'
import { writeNowOrNever } from './write-now.ts'

interface Found {
  id: string
  revoked_at: string | null
  expires_at: string | null
}

/** Finds the key of each sighting, and writes down those that have one. */
export function incidentWriter(db: DatabaseSync): WriteIncidents {
  const byHash = db.prepare('SELECT id, revoked_at, expires_at FROM api_keys WHERE hash = ?')
  const byPrefix = db.prepare('SELECT id FROM api_keys WHERE prefix = ?')
  const upsert = db.prepare(`
    INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at, client) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      count = count + excluded.count,
      last_at = max(last_at, excluded.last_at),
      client = CASE WHEN excluded.last_at >= last_at THEN excluded.client ELSE client END`)

  function resolve(seen: SeenIncident): { keyId: string; kind: IncidentKind } | undefined {
    const { keyId, hash, prefix, kind, lastAt } = seen
    if (keyId !== undefined) return kind === 'unauthorized' ? undefined : { keyId, kind }
    const exact = hash === undefined ? undefined : (byHash.get(hash) as Found | undefined)
    if (exact !== undefined) {
      if (kind !== 'unauthorized') return { keyId: exact.id, kind }
      if (exact.revoked_at !== null) return { keyId: exact.id, kind: 'revoked' }
      return exact.expires_at !== null && exact.expires_at <= lastAt ? { keyId: exact.id, kind: 'expired' } : undefined
    }
    const alike = prefix === undefined ? undefined : (byPrefix.get(prefix) as Found | undefined)
    return alike && { keyId: alike.id, kind: kind === 'unauthorized' ? 'unknown' : kind }
  }

  return async (incidents) => {
    const known = incidents.flatMap((seen) => {
      const found = resolve(seen)
      return found === undefined ? [] : [{ ...seen, ...found }]
    })
    // Keys that nobody ever made are no reason to take the write lock.
    if (known.length === 0) return true
    return writeNowOrNever(db, () => {
      for (const { keyId, day, kind, count, firstAt, lastAt, client } of known)
        upsert.run(keyId, day, kind, count, firstAt, lastAt, client)
    })
  }
}
