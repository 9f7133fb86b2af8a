import type { SqlValue } from '../database/connection.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { foldForSearch } from '../lib/fold-case.ts'
import { type AuditEntry, ENTRY, entriesOf, type StoredEntry } from './log.ts'
import type { SlicedLog } from './slices.ts'
import { actionText } from './wording.ts'

export const auditKinds = ['changes', 'members', 'sessions'] as const
export type AuditKind = (typeof auditKinds)[number]

const isSession = (action: string) => action.startsWith('session.')
const isAboutPeople = (action: string) => isSession(action) || action.startsWith('member.')

const isOfKind: Record<AuditKind, (action: string) => boolean> = {
  changes: (action) => !isAboutPeople(action),
  members: isAboutPeople,
  sessions: isSession,
}

interface AuditQuery {
  workspaceId: string
  subject?: string | null
  /** Inclusive. */
  from?: string | null
  /** Exclusive. */
  until?: string | null
}

export type AuditPosition = Pick<AuditEntry, 'at' | 'number'>

/** Newest first, from before the position on. */
export async function readAudit(
  tx: Transaction,
  { workspaceId, subject, from, until }: AuditQuery,
  { before, limit }: { before: AuditPosition | null; limit: number },
): Promise<AuditEntry[]> {
  const conditions: [sql: string, ...values: (SqlValue | undefined)[]][] = [
    ['workspace_id = ?', workspaceId],
    ['subject = ?', subject],
    ['at >= ?', from],
    ['at < ?', until],
    ['(at, number) < (?, ?)', before?.at, before?.number],
  ]
  const used = conditions.filter(([, value]) => value !== null && value !== undefined)
  const rows = await tx.all<StoredEntry>(
    `SELECT ${ENTRY} FROM audit WHERE ${used.map(([sql]) => sql).join(' AND ')} ORDER BY at DESC, number DESC LIMIT ?`,
    ...used.flatMap(([, ...values]) => values as SqlValue[]),
    limit,
  )
  return entriesOf(rows)
}

export interface AuditFilter extends AuditQuery {
  kind: AuditKind | null
  /** Part of the actor, case-insensitive. */
  actor: string
  /** Words that must all occur in an entry, case-insensitive. */
  search: string
  /** Other names for subjects, such as a key's current label, that the search also matches. */
  namesOf?: (tx: Transaction, subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** Reads by an index on time or on subject and time, and filters here, so that both engines give the same result. */
export function auditLog(
  store: Pick<OperatorStore, 'read'>,
  filter: AuditFilter,
): SlicedLog<AuditEntry, AuditPosition> {
  const passes = entryMatcher(filter)
  return {
    isFiltered: passes !== undefined,
    positionOf: ({ at, number }) => ({ at, number }),
    read: (before, limit) =>
      store.read(async (tx) => {
        const rows = await readAudit(tx, filter, { before, limit })
        if (passes === undefined) return { rows, matches: rows }
        const subjects = new Set(filter.search === '' ? [] : rows.map(({ subject }) => subject))
        const names = await filter.namesOf?.(tx, [...subjects])
        return { rows, matches: rows.filter((entry) => passes(entry, names?.get(entry.subject))) }
      }),
  }
}

/** Undefined if every entry passes. */
function entryMatcher({ kind, actor, search }: AuditFilter) {
  const words = foldForSearch(search).split(/\s+/).filter(Boolean)
  const who = foldForSearch(actor)
  if (kind === null && who === '' && words.length === 0) return undefined
  return (entry: AuditEntry, name: string | undefined): boolean => {
    if (kind !== null && !isOfKind[kind](entry.action)) return false
    if (!foldForSearch(entry.actor).includes(who)) return false
    if (words.length === 0) return true
    const text = foldForSearch(textOf(entry, name))
    return words.every((word) => text.includes(word))
  }
}

/** The text that people see, and the stored action. */
const textOf = ({ action, actor, subject, detail }: AuditEntry, name = ''): string =>
  [actionText(action), action, actor, subject, name, ...valuesIn(detail)].join('\n')

function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part)
  else if (value !== null) yield String(value)
}
