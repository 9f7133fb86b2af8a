import type { AuditRecord } from './audit-chain.ts'
import type {
  DayOfUse,
  IncidentKind,
  KeyHistory,
  LastIncident,
  TrailEntry,
  TrailKind,
  TrailQuery,
} from './key-history.ts'
import type { SqlConnection, SqlValue } from './sql-connection.ts'

export class SqlKeyHistory implements KeyHistory {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  daysOfUse(workspaceId: string, sinceDay: string): Promise<DayOfUse[]> {
    return this.#connection.all(
      `SELECT u.key_id AS "keyId", u.day, u.count FROM api_keys k JOIN key_use u ON u.key_id = k.id
       WHERE k.workspace_id = ? AND u.day >= ?`,
      ...[workspaceId, sinceDay],
    )
  }

  lastIncidents(workspaceId: string, kinds: readonly IncidentKind[]): Promise<LastIncident[]> {
    return this.#connection.all(
      `SELECT i.key_id AS "keyId", i.kind, max(i.last_at) AS at FROM api_keys k JOIN key_incidents i ON i.key_id = k.id
       WHERE k.workspace_id = ? AND i.kind IN (${kinds.map(() => '?').join(', ')})
       GROUP BY i.key_id, i.kind`,
      ...[workspaceId, ...kinds],
    )
  }

  async firstUse(keyId: string): Promise<{ at: string; from: string | null } | undefined> {
    // Rows from before first uses were kept have none: their last one is the best that is known.
    const [row] = await this.#connection.all<{ at: string; from: string | null }>(
      `SELECT coalesce(first_at, last_at) AS at, first_client AS "from" FROM key_use WHERE key_id = ? ORDER BY day LIMIT 1`,
      keyId,
    )
    return row
  }

  async lastClient(keyId: string): Promise<string | null> {
    const [row] = await this.#connection.all<{ client: string | null }>(
      'SELECT last_client AS client FROM key_use WHERE key_id = ? ORDER BY day DESC LIMIT 1',
      keyId,
    )
    return row?.client ?? null
  }

  async trail({ workspaceId, keyId, kind, before, limit }: TrailQuery) {
    const params: SqlValue[] = []
    const branches = BRANCHES.filter(({ kinds }) => kind === null || kind in kinds).map((branch) => {
      const conditions = [branch.ofWorkspace]
      params.push(workspaceId)
      if (keyId !== null) {
        conditions.push(`${branch.subject} = ?`)
        params.push(keyId)
      }
      if (kind !== null) conditions.push(branch.kinds[kind] ?? 'false')
      if (before !== null) {
        conditions.push(`(${branch.at}, ${branch.source}, ${branch.id}) < (?, ?, ?)`)
        params.push(before.at, before.source, before.id)
      }
      params.push(limit)
      return `SELECT * FROM (${branch.select} WHERE ${conditions.join(' AND ')}
              ORDER BY ${branch.at} DESC, ${branch.id} DESC LIMIT ?) AS branch_${branch.source}`
    })
    const rows = await this.#connection.all<TrailRow>(
      `SELECT * FROM (${branches.join(' UNION ALL ')}) AS trail ORDER BY at DESC, source DESC, id DESC LIMIT ?`,
      ...params,
      limit,
    )
    return rows.map(toEntry)
  }
}

interface Branch {
  source: 0 | 1
  select: string
  at: string
  id: string
  subject: string
  ofWorkspace: string
  /** The condition of each kind that it has entries of. */
  kinds: Partial<Record<TrailKind, string>>
}

const OF_PEOPLE = `(action LIKE 'member.%' OR action LIKE 'session.%')`

const BRANCHES: Branch[] = [
  {
    source: 0,
    select: `SELECT at, 0 AS source, number AS id, workspace_id AS "workspaceId", actor, action, subject, detail,
                    '' AS kind, 1 AS count, at AS "firstAt", previous_hash AS "previousHash", hash FROM audit`,
    at: 'at',
    id: 'number',
    subject: 'subject',
    ofWorkspace: 'workspace_id = ?',
    kinds: { changes: `NOT ${OF_PEOPLE}`, members: OF_PEOPLE },
  },
  {
    source: 1,
    select: `SELECT i.last_at AS at, 1 AS source, i.id, k.workspace_id AS "workspaceId", coalesce(i.client, '') AS actor,
                    '' AS action, i.key_id AS subject, k.label AS detail, i.kind, i.count, i.first_at AS "firstAt",
                    '' AS "previousHash", '' AS hash
             FROM api_keys k JOIN key_incidents i ON i.key_id = k.id`,
    at: 'i.last_at',
    id: 'i.id',
    subject: 'i.key_id',
    ofWorkspace: 'k.workspace_id = ?',
    kinds: {
      refusals: `i.kind IN ('unknown', 'revoked', 'expired', 'over_quota', 'forbidden')`,
      warnings: `i.kind IN ('url', 'browser')`,
    },
  },
]

interface TrailRow extends Omit<AuditRecord, 'detail'> {
  source: 0 | 1
  id: number
  detail: string
  /** Empty where it is not of an incident. */
  kind: IncidentKind | ''
  count: number
  firstAt: string
  previousHash: string
  hash: string
}

function toEntry(row: TrailRow): TrailEntry {
  const { at, source, id, workspaceId, actor, action, subject, detail, kind, count, firstAt } = row
  const position = { at, source, id }
  if (kind === '') {
    const link = { number: id, previousHash: row.previousHash, hash: row.hash }
    return { at, workspaceId, actor, action, subject, detail: JSON.parse(detail), position, link }
  }
  const isWarning = kind === 'url' || kind === 'browser'
  return {
    at,
    workspaceId,
    actor: actor === '' ? 'unknown' : actor,
    action: `key.${isWarning ? 'seen' : 'refused'}.${kind}`,
    subject,
    detail: { label: detail, count, firstAt },
    position,
    link: null,
  }
}
