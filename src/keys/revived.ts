import { finding, type HealthFinding } from '../database/finding.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { openSql } from './records.ts'

const NAMED = 10

/** The actions that change when a key ends. The log does not record its original expiry. */
const LIFE = "('key.revoked', 'key.rotated', 'key.rotation_cancelled', 'key.updated')"

/** Finds keys that work although they ended according to the audit log. The database should have prevented this. */
export async function examineRevivedKeys(tx: Transaction): Promise<HealthFinding> {
  const now = isoOf(tx.nowMs)
  const entries = await tx.all<{ id: string; action: string; detail: string }>(
    `SELECT k.id, a.action, a.detail FROM audit AS a JOIN api_keys AS k ON k.id = a.subject AND k.workspace_id = a.workspace_id
     WHERE a.action IN ${LIFE} AND ${openSql(tx.nowMs)} ORDER BY a.workspace_id, a.number`,
  )
  const ends = new Map<string, string | null>()
  for (const { id, action, detail } of entries) {
    if (action === 'key.revoked') ends.set(id, '')
    const { worksUntil, after } = JSON.parse(detail) as { worksUntil?: string | null; after?: { expiresAt?: string } }
    if (action === 'key.rotated') ends.set(id, worksUntil ?? null)
    // The end before the rotation is not known.
    if (action === 'key.rotation_cancelled') ends.delete(id)
    if (after?.expiresAt !== undefined) ends.set(id, after.expiresAt)
  }
  const revived = [...ends].filter(([, end]) => end !== null && end <= now).map(([id]) => id)
  if (revived.length === 0) return finding('ended keys', true, 'no ended key works again')
  const more = revived.length > NAMED ? ` and ${revived.length - NAMED} more` : ''
  const detail = `${revived.slice(0, NAMED).join(', ')}${more} ended according to the audit log, but work again`
  const hint = "end them with 'vitrine key revoke', and find out who can write to the database"
  return finding('ended keys', false, detail, hint)
}
