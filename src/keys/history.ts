import type { IncidentKind, Transaction } from '../database/store.ts'

export interface DayOfUse {
  keyId: string
  day: string
  count: number
}

/** The last time that something of a kind happened to a key. */
export interface LastIncident {
  keyId: string
  kind: IncidentKind
  at: string
}

export const daysOfUse = (tx: Transaction, workspaceId: string, sinceDay: string): Promise<DayOfUse[]> =>
  tx.all(
    `SELECT u.key_id AS "keyId", u.day, u.count FROM api_keys k JOIN key_use u ON u.key_id = k.id
     WHERE k.workspace_id = ? AND u.day >= ?`,
    ...[workspaceId, sinceDay],
  )

export const lastIncidents = (
  tx: Transaction,
  workspaceId: string,
  kinds: readonly IncidentKind[],
): Promise<LastIncident[]> =>
  tx.all(
    `SELECT i.key_id AS "keyId", i.kind, max(i.last_at) AS at FROM api_keys k JOIN key_incidents i ON i.key_id = k.id
     WHERE k.workspace_id = ? AND i.kind IN (${kinds.map(() => '?').join(', ')})
     GROUP BY i.key_id, i.kind`,
    ...[workspaceId, ...kinds],
  )

export async function findFirstUse(
  tx: Transaction,
  keyId: string,
): Promise<{ at: string; from: string | null } | undefined> {
  // Rows from before first uses were kept have none: their last one is the best that is known.
  const [row] = await tx.all<{ at: string; from: string | null }>(
    `SELECT coalesce(first_at, last_at) AS at, first_client AS "from" FROM key_use WHERE key_id = ? ORDER BY day LIMIT 1`,
    keyId,
  )
  return row
}
