import type { AuditLink, AuditRecord } from './audit-chain.ts'

/** Why a key was refused, or where it was seen although keys must not be there. */
export const incidentKinds = ['unknown', 'revoked', 'expired', 'over_quota', 'forbidden', 'url', 'browser'] as const
export type IncidentKind = (typeof incidentKinds)[number]

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

/** Where an entry of the trail stands; the next page begins after it. */
export interface TrailPosition {
  at: string
  /** What was done comes from the audit, what was refused from the incidents. */
  source: 0 | 1
  /** Of an audit entry its number, of an incident its row's id. */
  id: number
}

export interface TrailEntry extends AuditRecord {
  position: TrailPosition
  /** Null for incidents: they are counters, which change, and not entries of the chain. */
  link: AuditLink | null
}

export const trailKinds = ['changes', 'refusals', 'warnings', 'members'] as const
export type TrailKind = (typeof trailKinds)[number]

export interface TrailQuery {
  workspaceId: string
  keyId: string | null
  kind: TrailKind | null
  /** Entries older than this one. */
  before: TrailPosition | null
  limit: number
}

/** What happened to the keys of a workspace. */
export interface KeyHistory {
  daysOfUse(workspaceId: string, sinceDay: string): Promise<DayOfUse[]>
  lastIncidents(workspaceId: string, kinds: readonly IncidentKind[]): Promise<LastIncident[]>
  firstUse(keyId: string): Promise<{ at: string; from: string | null } | undefined>
  lastClient(keyId: string): Promise<string | null>
  /** What was done and what was refused, newest first. */
  trail(query: TrailQuery): Promise<TrailEntry[]>
}
