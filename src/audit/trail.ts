import type { SqlValue, Transaction } from '../database/store.ts'
import type { IncidentKind } from '../database/usage/recorded.ts'
import type { AuditLink, AuditRecord } from './log.ts'

export interface TrailPosition {
  at: string
  /** 0 for the audit log, 1 for incidents. */
  origin: 0 | 1
  /** The number of an audit entry, or the id of an incident's row. */
  id: number
}

export interface TrailEntry extends AuditRecord {
  position: TrailPosition
  /** Null for incidents, which are counters rather than entries of the chain. */
  link: AuditLink | null
}

/** A refusal is a request that a key's holder tried. */
export const auditKinds = ['changes', 'refusals', 'warnings', 'members', 'sessions'] as const
export type AuditKind = (typeof auditKinds)[number]

const startsWith =
  (...starts: string[]) =>
  (action: string) =>
    starts.some((start) => action.startsWith(start))
const isAboutPeople = startsWith('member.', 'session.')

const kinds: Record<AuditKind, { origin: TrailPosition['origin']; has: (action: string) => boolean }> = {
  changes: { origin: 0, has: (action) => !isAboutPeople(action) },
  refusals: { origin: 1, has: startsWith('key.refused.') },
  warnings: { origin: 1, has: startsWith('key.seen.') },
  members: { origin: 0, has: isAboutPeople },
  sessions: { origin: 0, has: startsWith('session.') },
}

export const isOfKind = ({ action, position }: TrailEntry, kind: AuditKind): boolean =>
  kinds[kind].origin === position.origin && kinds[kind].has(action)

export interface TrailQuery {
  workspaceId: string
  keyId: string | null
  /** Selects the table to read. The caller filters out other kinds in that table. */
  kind: AuditKind | null
  /** Omits refusals, which are not in the chain. */
  isChained?: boolean
  /** Inclusive. */
  from?: string | null
  /** Exclusive. */
  until?: string | null
  /** Only entries older than this one. */
  before: TrailPosition | null
  limit: number
}

/** Changes in a workspace and refusals of its keys, newest first. */
export async function readTrail(
  tx: Transaction,
  { workspaceId, keyId, kind, isChained = false, from = null, until = null, before, limit }: TrailQuery,
): Promise<TrailEntry[]> {
  const params: SqlValue[] = []
  const wanted = BRANCHES.filter(
    ({ origin }) => (kind === null || kinds[kind].origin === origin) && (origin === 0 || !isChained),
  )
  const branches = wanted.map(({ select, origin, at, id, subject, ofWorkspace, ofSubjectsWorkspace }) => {
    const conditions: [sql: string, ...values: (SqlValue | undefined)[]][] = [
      [keyId === null ? ofWorkspace : ofSubjectsWorkspace, workspaceId],
      [`${subject} = ?`, keyId],
      [`${at} >= ?`, from],
      [`${at} < ?`, until],
      [`(${at}, ${origin}, ${id}) < (?, ?, ?)`, before?.at, before?.origin, before?.id],
    ]
    const used = conditions.filter(([, value]) => value !== null && value !== undefined)
    params.push(...used.flatMap(([, ...values]) => values as SqlValue[]), limit)
    return `SELECT * FROM (${select} WHERE ${used.map(([sql]) => sql).join(' AND ')}
            ORDER BY ${at} DESC, ${id} DESC LIMIT ?) AS branch_${origin}`
  })
  const sql = `SELECT * FROM (${branches.join(' UNION ALL ')}) AS trail ORDER BY at DESC, origin DESC, id DESC LIMIT ?`
  return (await tx.all<TrailRow>(sql, ...params, limit)).map(toEntry)
}

/** `ofSubjectsWorkspace` is used with a subject, so that its index is read. */
const BRANCHES = [
  {
    origin: 0 as const,
    select: `SELECT at, 0 AS origin, number AS id, workspace_id AS "workspaceId", actor, action, subject, detail,
                    '' AS kind, 1 AS count, at AS "firstAt", previous_hash AS "previousHash", hash FROM audit`,
    at: 'at',
    id: 'number',
    subject: 'subject',
    ofWorkspace: 'workspace_id = ?',
    ofSubjectsWorkspace: 'workspace_id = ?',
  },
  {
    origin: 1 as const,
    select: `SELECT i.last_at AS at, 1 AS origin, i.id, k.workspace_id AS "workspaceId", coalesce(i.client, '') AS actor,
                    '' AS action, i.key_id AS subject, k.label AS detail, i.kind, i.count, i.first_at AS "firstAt",
                    '' AS "previousHash", '' AS hash
             FROM key_incidents i JOIN api_keys k ON k.id = i.key_id`,
    at: 'i.last_at',
    id: 'i.id',
    subject: 'i.key_id',
    ofWorkspace: 'i.workspace_id = ?',
    ofSubjectsWorkspace: 'k.workspace_id = ?',
  },
]

interface TrailRow extends Omit<AuditRecord, 'detail'>, TrailPosition, Omit<AuditLink, 'number'> {
  detail: string
  /** Empty unless it is an incident. */
  kind: IncidentKind | ''
  count: number
  firstAt: string
}

function toEntry(row: TrailRow): TrailEntry {
  const { at, origin, id, workspaceId, actor, action, subject, detail, kind, count, firstAt, previousHash, hash } = row
  const position = { at, origin, id }
  if (kind === '') {
    const link = { number: id, previousHash, hash }
    return { at, workspaceId, actor, action, subject, detail: JSON.parse(detail), position, link }
  }
  const verb = kind === 'url' || kind === 'browser' ? 'seen' : 'refused'
  const incident = { actor: actor || 'unknown', action: `key.${verb}.${kind}`, subject }
  return { at, workspaceId, ...incident, detail: { label: detail, count, firstAt }, position, link: null }
}
