import type { SessionRecord, SignInRecords, Ticket } from './sign-in-records.ts'
import type { SqlConnection } from './sql-connection.ts'

type TicketRow = Omit<Ticket, 'detail'> & { detail: string }
const TICKET_COLUMNS = 'hash, kind, subject, detail, expires_at AS "expiresAt"'
const toTicket = (row: TicketRow): Ticket => ({ ...row, detail: JSON.parse(row.detail) })

export class SqlSignInRecords implements SignInRecords {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  async insertSession(session: SessionRecord): Promise<void> {
    await this.#connection.run(
      'INSERT INTO sessions (hash, email, started_at, seen_at) VALUES (?, ?, ?, ?)',
      ...[session.hash, session.email, session.startedAt, session.seenAt],
    )
  }

  async session(hash: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#connection.all<SessionRecord>(
      'SELECT hash, email, started_at AS "startedAt", seen_at AS "seenAt" FROM sessions WHERE hash = ?',
      hash,
    )
    return row
  }

  async keepSessions(email: string, count: number): Promise<void> {
    await this.#connection.run(
      `DELETE FROM sessions WHERE email = ? AND hash NOT IN
         (SELECT hash FROM sessions WHERE email = ? ORDER BY seen_at DESC, hash LIMIT ?)`,
      ...[email, email, count],
    )
  }

  async touchSession(hash: string, seenAt: string): Promise<void> {
    await this.#connection.run('UPDATE sessions SET seen_at = ? WHERE hash = ?', seenAt, hash)
  }

  async endSession(hash: string): Promise<void> {
    await this.#connection.run('DELETE FROM sessions WHERE hash = ?', hash)
  }

  async endAllOf(email: string): Promise<void> {
    await this.#connection.run('DELETE FROM sessions WHERE email = ?', email)
    await this.#connection.run(`DELETE FROM tickets WHERE kind = 'link' AND subject = ?`, email)
  }

  async insertTicket({ hash, kind, subject, detail, expiresAt }: Ticket): Promise<boolean> {
    const inserted = await this.#connection.run(
      `INSERT INTO tickets (hash, kind, subject, detail, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (hash) DO NOTHING`,
      ...[hash, kind, subject, JSON.stringify(detail), expiresAt],
    )
    return inserted === 1
  }

  async ticket(hash: string, kind: Ticket['kind']): Promise<Ticket | undefined> {
    const [row] = await this.#connection.all<TicketRow>(
      `SELECT ${TICKET_COLUMNS} FROM tickets WHERE hash = ? AND kind = ?`,
      ...[hash, kind],
    )
    return row && toTicket(row)
  }

  async countTickets(kind: Ticket['kind']): Promise<number> {
    const [row] = await this.#connection.all<{ n: number }>('SELECT count(*) AS n FROM tickets WHERE kind = ?', kind)
    return row?.n ?? 0
  }

  async takeTicket(hash: string, kind: Ticket['kind'], now: string): Promise<Ticket | undefined> {
    const [row] = await this.#connection.all<TicketRow>(
      `DELETE FROM tickets WHERE hash = ? AND kind = ? RETURNING ${TICKET_COLUMNS}`,
      ...[hash, kind],
    )
    return row && row.expiresAt > now ? toTicket(row) : undefined
  }

  async sweep({ now, startedBefore, seenBefore }: Parameters<SignInRecords['sweep']>[0]): Promise<void> {
    await this.#connection.run('DELETE FROM tickets WHERE expires_at <= ?', now)
    await this.#connection.run('DELETE FROM sessions WHERE started_at <= ? OR seen_at <= ?', startedBefore, seenBefore)
  }
}
