import { Socket } from 'node:net'
import type { ClientBase, PoolClient, PoolConfig, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import pg from 'pg'
import { StorageError, storeBusy } from '../../errors.ts'
import type { PoolStats } from '../../store.ts'
import type { Hosts } from './hosts.ts'

/** Bounds the check of a new connection. */
const CHECK_TIMEOUT_MS = 3000
/** Waiting for a connection fails after two seconds, so a longer queue would only fail later. */
const MAX_WAITING = 1000

interface SessionClient extends pg.Client {
  /** The server process that was announced when the connection was opened. */
  readonly processID: number
  readonly hostNumber: number
}

/** Always explicit: setting the default affects only the next transaction. */
export type TransactionMode = 'READ COMMITTED' | 'READ COMMITTED READ ONLY' | 'REPEATABLE READ READ ONLY'

type OnConnected = (error: Error) => void

/**
 * A pooler in transaction mode may run each transaction in another server session, so settings and prepared statements
 * do not last: through a pooler, statements have no name, and each transaction applies its own settings.
 */
export class SessionPool {
  readonly #hosts: Hosts
  readonly #settings: Record<string, string>
  readonly #pool: pg.Pool
  readonly #pooled = new WeakSet<ClientBase>()
  /** Pooled clients whose sessions default to another isolation level than ours. */
  readonly #otherwiseIsolated = new WeakSet<ClientBase>()
  readonly #sockets = new Set<Socket>()

  constructor(hosts: Hosts, settings: Record<string, string>, config: PoolConfig) {
    this.#hosts = hosts
    this.#settings = settings
    const sockets = this.#sockets
    /** A connection uses the host and credentials that are current when it is created. */
    const Client = class extends pg.Client {
      readonly hostNumber = hosts.current
      readonly #socket: Socket
      constructor() {
        const socket = new Socket()
        hosts.readCredentials()
        super({ ...config, connectionString: hosts.url, stream: () => socket })
        this.#socket = socket
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        // A broken connection fails its queries; without a listener it would also end the process.
        this.on('error', () => {})
      }
      override connect(): Promise<pg.Client>
      override connect(callback: OnConnected): void
      /** If the driver gives up, for example because it has no password, it leaves the socket open. */
      override connect(callback: OnConnected = () => {}): unknown {
        return super.connect((error: Error) => {
          if (error) this.#socket.destroy()
          callback(error)
        })
      }
    }
    this.#pool = new pg.Pool({ ...config, Client, onConnect: (client) => this.#check(client as SessionClient) })
    // A broken idle connection is replaced when next needed; without a listener it would end the process.
    this.#pool.on('error', () => {})
  }

  /** Tries the hosts in turn, starting with the current one. Nothing was sent yet, so nothing is done twice. */
  async connect(): Promise<PoolClient> {
    if (this.#pool.waitingCount >= MAX_WAITING) throw storeBusy
    let standby: StandbyError | undefined
    for (let attemptsLeft = this.#hosts.address.urls.length - 1; ; attemptsLeft--) {
      const host = this.#hosts.current
      try {
        return await this.#connectToCurrent()
      } catch (error) {
        if (error instanceof StandbyError) standby = error
        if (!isHostFailure(error)) throw error
        this.#hosts.leave(host)
        // A reachable standby explains more than an unreachable primary.
        if (attemptsLeft === 0) throw standby ?? error
      }
    }
  }

  /** Discards connections to a previous host, even if they still work. */
  async #connectToCurrent(): Promise<PoolClient> {
    for (;;) {
      const client = (await this.#pool.connect()) as PoolClient & SessionClient
      if (client.hostNumber === this.#hosts.current) return client
      client.release(true)
    }
  }

  /** A pooler announces its own process, not the server's. It rejects settings at startup, so they are applied here. */
  async #check(client: SessionClient): Promise<void> {
    const { rows } = await client.query<{ pid: number; standby: boolean; readOnly: string; isolation: string }>({
      text: `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby,
                    current_setting('default_transaction_read_only') AS "readOnly",
                    current_setting('default_transaction_isolation') AS isolation`,
      query_timeout: CHECK_TIMEOUT_MS,
    } as QueryConfig)
    const [row] = rows
    const isStandby = row?.standby || row?.readOnly === 'on'
    if (isStandby && this.#hosts.address.target === 'primary') throw new StandbyError()
    const isPooled = row?.pid !== client.processID
    if (isPooled) this.#pooled.add(client)
    if (isPooled && row?.isolation !== 'read committed') this.#otherwiseIsolated.add(client)
    // Poolers track these two for each client, because the server reports changes to them.
    const settings = isPooled ? { TimeZone: 'UTC', DateStyle: 'ISO' } : this.#settings
    const text = Object.entries(settings).map(([name, value]) => `SET ${name} = '${value}'`)
    await client.query({ text: text.join('; '), query_timeout: CHECK_TIMEOUT_MS } as QueryConfig)
  }

  isPooled(client: ClientBase): boolean {
    return this.#pooled.has(client)
  }

  async query<Row extends QueryResultRow>(statement: QueryConfig | string, values?: unknown[]) {
    return this.with((client) => {
      const run = () => client.query<Row>(this.#unnamed(client, statement), values)
      return this.#otherwiseIsolated.has(client) ? this.#inTransaction(client, 'READ COMMITTED', run) : run()
    })
  }

  async read<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    return this.with((client) => {
      const run = () => client.query<Row>(this.#unnamed(client, statement))
      return this.isPooled(client) ? this.#inTransaction(client, 'READ COMMITTED READ ONLY', run) : run()
    })
  }

  /** Reads one state of the database. */
  snapshot<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.with((client) => this.#inTransaction(client, 'REPEATABLE READ READ ONLY', () => read(client)))
  }

  async #inTransaction<T>(client: ClientBase, mode: TransactionMode, work: () => Promise<T>): Promise<T> {
    await client.query(this.begin(client, mode))
    const result = await work()
    await client.query('COMMIT')
    return result
  }

  /** SQL that begins a transaction with our settings, which sessions without a pooler already have. */
  begin(client: ClientBase, mode: TransactionMode): string {
    const settings = this.isPooled(client) ? Object.entries(this.#settings) : []
    return [`BEGIN ISOLATION LEVEL ${mode}`, ...settings.map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join(
      '; ',
    )
  }

  #unnamed<Statement extends QueryConfig | string>(client: ClientBase, statement: Statement): Statement {
    return typeof statement === 'object' && this.isPooled(client) ? { ...statement, name: undefined } : statement
  }

  /** A connection is discarded after an error, because its server may have been demoted. */
  async with<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect()
    try {
      const value = await work(client)
      client.release()
      return value
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  stats(name: PoolStats['name']): PoolStats {
    const { totalCount, idleCount, waitingCount, options } = this.#pool
    return {
      name,
      open: { current: totalCount, limit: options.max },
      idle: idleCount,
      waiting: { current: waitingCount, limit: MAX_WAITING },
    }
  }

  async end(): Promise<void> {
    await this.#pool.end()
    // The remaining sockets are still closing; an unresponsive server must not keep the process alive.
    for (const socket of this.#sockets) socket.unref()
  }
}

class StandbyError extends StorageError {
  constructor() {
    super(
      'no host in DATABASE_URL is a primary at the moment: those that respond are standbys or read-only; promote one, or check that the primary can be reached',
    )
  }
}

/** Errors about the user or the database would be the same on every host. */
function isHostFailure(error: unknown): boolean {
  if (error instanceof StandbyError) return true
  if ((error as Error).message === POOL_EXHAUSTED) return false
  // System error codes can look like PostgreSQL's: EPIPE.
  return !(error instanceof pg.DatabaseError) || (error.code ?? '').startsWith('57P')
}

const POOL_EXHAUSTED = 'timeout exceeded when trying to connect'

/** A timeout while waiting for a lock (57014, 55P03) or a connection does not mean that the database is down. */
export const isDelayed = (error: unknown): boolean =>
  error === storeBusy ||
  (error as Error).message === POOL_EXHAUSTED ||
  ['57014', '55P03'].includes((error as { code?: string }).code ?? '')
