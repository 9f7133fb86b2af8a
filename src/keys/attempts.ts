import { type Actor, appendAudit } from '../audit/log.ts'
import type { Transaction } from '../database/store.ts'
import { clip } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import type { KeyRecord } from './records.ts'

/** Lets the settings pages send requests with a key, although its token is not stored. */
export async function hashOfKey(tx: Transaction, { id }: Pick<KeyRecord, 'id'>): Promise<string> {
  const [row] = await tx.all<{ hash: string }>('SELECT hash FROM api_keys WHERE id = ?', id)
  if (row === undefined) throw new Error('the key no longer exists')
  return row.hash
}

/** Tool arguments can be as long as a form allows. */
const MAX_REQUEST_TEXT = 200

interface Attempt {
  actor: Actor
  at: string
  /** Such as `GET /tasks` or `list_tasks {"limit":5}`. */
  request: string
  status: number
}

export const recordAttempt = (tx: Transaction, key: KeyRecord, { request, status, ...event }: Attempt): Promise<void> =>
  appendAudit(tx, {
    ...{ ...event, workspaceId: key.workspaceId, action: 'key.tried', subject: key.id },
    detail: { label: key.label, request: clip(redactTokens(request), MAX_REQUEST_TEXT), status },
  })
