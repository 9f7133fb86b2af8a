/** Only the hash of a session's secret is stored. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
  /** The only workspace that the session can access; null if it can access all of the person's workspaces. */
  workspaceId: string | null
  /** The chain of members whose sign-in links led to this session, nearest first, separated by spaces. */
  linkBy: string | null
  /** Such as `Firefox on Linux, 203.0.113.0/24`. */
  device: string | null
}

export const SESSION_COLUMNS =
  'hash, email, started_at AS "startedAt", seen_at AS "seenAt", workspace_id AS "workspaceId", link_by AS "linkBy", device'
