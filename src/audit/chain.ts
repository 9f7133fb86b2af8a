import { hash } from 'node:crypto'

export interface AuditRecord {
  at: string
  workspaceId: string
  actor: string
  action: string
  subject: string
  detail: Record<string, unknown>
}

/** An entry's link in the chain of its workspace: its number, the hash of the entry before it, and its own hash. */
export interface AuditLink {
  /** Counts from 1 in each workspace, without a gap. */
  number: number
  previousHash: string
  hash: string
}

/** The parts of an entry that are hashed. `detail` is the text as it is stored. */
export interface HashedFields extends Omit<AuditLink, 'hash'> {
  workspaceId: string
  at: string
  actor: string
  action: string
  subject: string
  detail: string
}

/** The previous hash of the first entry of a workspace. */
export const GENESIS = '0'.repeat(64)

/** SHA-256 of one JSON array in the form of RFC 8785, which for strings and whole numbers is that of JSON.stringify. */
export function hashOf(entry: HashedFields): string {
  const { workspaceId, number, previousHash, at, actor, action, subject, detail } = entry
  const text = JSON.stringify([
    'vitrine-audit-1',
    ...[workspaceId, number, previousHash],
    ...[at, actor, action, subject, detail],
  ])
  return hash('sha256', text, 'hex')
}
