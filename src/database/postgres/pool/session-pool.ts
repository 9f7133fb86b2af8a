import { Socket } from 'node:net'
import type { ClientBase, PoolClient, PoolConfig, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import pg from 'pg'
import { storeBusy } from '../../errors.ts'
import type { PoolStats } from '../../store.ts'

/** Bounds the check of a new connection. */
const CHECK_TIMEOUT_MS = 3000
/** Waiting for a connection fails after two seconds, so a longer queue would only fail later. */
const MAX_WAITING = 1000

/** Always explicit: setting the default affects only the next transaction. */
export type TransactionMode = 'READ COMMITTED' | 'READ COMMITTED READ ONLY' | 'REPEATABLE READ READ ONLY'

type OnConnected = (error: Error) => void

/**
 * A pooler in transaction mode may run each transaction in another server session, so settings and prepared statements
 * do not last: through a pooler, statements have no name, and each transaction applies its own settings.
 */
export class SessionPool {
  readonly #settings: Record<string, string>
  readonly #mode: TransactionMode
  readonly #pool: pg.Pool
  readonly #pooled = new WeakSet<ClientBase>()
  readonly #sockets = new Set<Socket>()

  constructor(url: () => string, settings: Record<string, string>, config: PoolConfig) {
    this.#settings = settings
    this.#mode = settings.default_transaction_read_only === 'on' ? 'READ COMMITTED READ ONLY' : 'READ COMMITTED'
    const sockets = this.#sockets
    /** A connection uses the credentials that are current when it is created. */
    const Client = class extends pg.Client {
      readonly #socket: Socket
      constructor() {
        const socket = new Socket()
        super({ ...config, connectionString: url(), stream: () => socket })
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
    this.#pool = new pg.Pool({ ...config, Client, onConnect: (client) => this.#prepare(client) })
    // A broken idle connection is replaced when next needed; without a listener it would end the process.
    this.#pool.on('error', () => {})
  }

  async connect(): Promise<PoolClient> {
    if (this.#pool.waitingCount >= MAX_WAITING) throw storeBusy
    return this.#pool.connect()
  }

  /** A pooler announces its own process, not the server's. It rejects settings at startup, so they are applied here. */
  async #prepare(client: ClientBase): Promise<void> {
    const query_timeout = CHECK_TIMEOUT_MS
    const { rows } = await client.query({ text: 'SELECT pg_backend_pid() AS pid', query_timeout } as QueryConfig)
    const isPooled = rows[0]?.pid !== (client as ClientBase & { processID: number }).processID
    if (isPooled) this.#pooled.add(client)
    // Poolers track these two for each client, because the server reports changes to them.
    const settings = isPooled ? { TimeZone: 'UTC', DateStyle: 'ISO' } : this.#settings
    const text = Object.entries(settings).map(([name, value]) => `SET ${name} = '${value}'`)
    await client.query({ text: text.join('; '), query_timeout } as QueryConfig)
  }

  async query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    return this.with((client) =>
      this.#pooled.has(client)
        ? this.#inTransaction(client, this.#mode, () => client.query<Row>({ ...statement, name: undefined }))
        : client.query<Row>(statement),
    )
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
    const settings = this.#pooled.has(client) ? Object.entries(this.#settings) : []
    const set = settings.map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
    return [`BEGIN ISOLATION LEVEL ${mode}`, ...set].join('; ')
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

const POOL_EXHAUSTED = 'timeout exceeded when trying to connect'

/** A timeout while waiting for a lock (57014, 55P03) or a connection does not mean that the database is down. */
export const isDelayed = (error: unknown): boolean =>
  error === storeBusy ||
  (error as Error).message === POOL_EXHAUSTED ||
  ['57014', '55P03'].includes((error as { code?: string }).code ?? '')
