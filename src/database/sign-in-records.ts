/** Who is signed in, and what works once. Tokens are known to storage by their hashes only. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
}

export interface Ticket {
  hash: string
  kind: 'link' | 'oidc' | 'form'
  /** The person it is for, where that is known. */
  subject: string
  detail: Record<string, string>
  expiresAt: string
}

export interface SignInRecords {
  insertSession(session: SessionRecord): Promise<void>
  session(hash: string): Promise<SessionRecord | undefined>
  /** Ends all sessions of a person but so many, those used last. */
  keepSessions(email: string, count: number): Promise<void>
  touchSession(hash: string, seenAt: string): Promise<void>
  endSession(hash: string): Promise<void>
  /** Ends all sessions of a person, and links that they have not used yet. */
  endAllOf(email: string): Promise<void>
  /** False if there is one of this hash already. */
  insertTicket(ticket: Ticket): Promise<boolean>
  /** Leaves it where it is. */
  ticket(hash: string, kind: Ticket['kind']): Promise<Ticket | undefined>
  /** How many there are of a kind, ended ones included. */
  countTickets(kind: Ticket['kind']): Promise<number>
  /** Takes it away: whoever comes second gets undefined. One that has expired is as good as none. */
  takeTicket(hash: string, kind: Ticket['kind'], now: string): Promise<Ticket | undefined>
  /** Forgets what can no longer be used. */
  sweep(ended: { now: string; startedBefore: string; seenBefore: string }): Promise<void>
}
