import type { DatabaseSync } from 'node:sqlite'
import { hashOf } from '../audit-chain.ts'

/** SQLite has no SHA-256 of its own, and a migration chains the entries of before. */
export function lendAuditHash(db: DatabaseSync): void {
  db.function('audit_hash', (workspaceId, number, previousHash, at, actor, action, subject, detail) =>
    hashOf({
      ...{ workspaceId: String(workspaceId), number: Number(number), previousHash: String(previousHash) },
      ...{ at: String(at), actor: String(actor), action: String(action) },
      ...{ subject: String(subject), detail: String(detail) },
    }),
  )
}
