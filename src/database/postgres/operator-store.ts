import type { PoolClient, QueryResult } from 'pg'
import type { List } from '../../lists/definition.ts'
import { ONE_AT_A_TIME, PATIENCE_MS, Slots } from '../slots.ts'
import { quoted } from '../statements.ts'
import {
  type OnFailedAttempt,
  type OperatorStore,
  SESSION_COLUMNS,
  type SessionRecord,
  type TableChunk,
  type Transaction,
} from '../store.ts'
import { copiedTables, dumpTables, loadTables } from '../tables/copied-tables.ts'
import { schemaFinding } from '../tables/schema-difference.ts'
import { Batcher } from './batcher.ts'
import { hasPrivilege, readExpected, schemaDifferences } from './catalogue.ts'
import { explain, explained, isDemoted, isTransient } from './faults.ts'
import { createPool } from './pool/connect.ts'
import type { SessionPool, TransactionMode } from './pool/session-pool.ts'
import type { PostgresDatabase } from './pool/url.ts'
import { PostgresTransaction } from './transaction.ts'

/** Anyone can send made-up cookies, so session lookups share statements, and are rejected beyond these bounds. */
const FINDING_SESSIONS = { maxRunning: 1, maxWaiting: 1000, maxWaitingForOne: 100 }

/** Separates our locks ("VTRN") from those of other programs in the same database. */
const LOCK_SEED = 0x5654524e

/** PostgreSQL may abort a transaction in favour of others. */
const MAX_ATTEMPTS = 5

/** Has one connection for transactions, and another for a lock. */
export class PostgresOperatorStore implements OperatorStore {
  readonly #listsInUse: readonly List[]
  readonly #pool: SessionPool
  readonly #isForSettings: boolean
  readonly #onFailedAttempt: OnFailedAttempt | undefined
  readonly #queue: Slots
  readonly #sessions = new Batcher(FINDING_SESSIONS, (waiting) =>
    // In turn, because waiting for the connection fails if a transaction takes longer than two seconds.
    this.#queue.run(() => findSessions(this.#pool, [...waiting.keys()])),
  )
  #lock: PoolClient | undefined

  constructor(
    database: PostgresDatabase,
    listsInUse: readonly List[],
    {
      forSettings = false,
      onFailedAttempt,
    }: { forSettings?: boolean; onFailedAttempt?: OnFailedAttempt | undefined } = {},
  ) {
    this.#onFailedAttempt = onFailedAttempt
    this.#listsInUse = listsInUse
    this.#isForSettings = forSettings
    this.#queue = new Slots({ ...ONE_AT_A_TIME, patienceMs: forSettings ? PATIENCE_MS : undefined })
    this.#pool = createPool(database, {
      purpose: forSettings ? 'settings' : 'operator',
      max: forSettings ? 1 : 2,
      isForCommands: !forSettings,
    })
  }

  /** Without everything that docs/sql/settings-writes.sql grants, some settings pages would fail. */
  mayWriteSettings(): Promise<boolean> {
    return explained(async () => {
      const has = readExpected().settings.map(hasPrivilege).join(' AND ')
      const { rows } = await this.#pool.query<{ may: boolean }>({ text: `SELECT ${has} AS may` })
      return rows[0]?.may ?? false
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => explained(() => this.#attempt(work, MAX_ATTEMPTS)))
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>, attemptsLeft: number): Promise<T> {
    try {
      return await this.#run('READ COMMITTED', work)
    } catch (error) {
      if (!isTransient(error) || attemptsLeft === 1) throw error
      return this.#attempt(work, attemptsLeft - 1)
    }
  }

  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T> {
    return this.#queue.run(() => explained(() => this.#run('REPEATABLE READ READ ONLY', work)), { isGone })
  }

  findSession(hash: string) {
    return explained(() => this.#sessions.request(hash))
  }

  async #run<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    try {
      const begin = this.#pool.begin(client, mode)
      const results: QueryResult | QueryResult[] = await client.query(`${begin}; SELECT clock_timestamp() AS now`)
      // There is one result per statement; the last is the time.
      const time: { now: string } | undefined = [results].flat().at(-1)?.rows[0]
      const tx = new PostgresTransaction(client, Date.parse(time?.now ?? ''), this.#isForSettings)
      const value = await work(tx)
      // Fails if the connection was lost, and with it the lock.
      await this.#lock?.query('SELECT 1')
      await client.query('COMMIT')
      for (const failure of tx.failures) this.#onFailedAttempt?.(failure)
      client.release()
      return value
    } catch (error) {
      await client.query('ROLLBACK').then(
        () => client.release(isDemoted(error)),
        () => client.release(true),
      )
      throw error
    }
  }

  /** A transaction of its own connection holds it, because a pooler's sessions last no longer. */
  lock(name: string) {
    return explained(async () => {
      const client = await this.#pool.connect()
      const release = async () => {
        this.#lock = undefined
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        )
      }
      try {
        await client.query(
          `${this.#pool.begin(client, 'READ COMMITTED')}; SET LOCAL idle_in_transaction_session_timeout = 0`,
        )
        const sql = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${LOCK_SEED})) AS "isOurs"`
        const { rows } = await client.query<{ isOurs: boolean }>(sql, [name])
        if (rows[0]?.isOurs) {
          this.#lock = client
          return { [Symbol.asyncDispose]: release }
        }
      } catch (error) {
        await release()
        throw error
      }
      await release()
      return undefined
    })
  }

  listInUse(list: List): List {
    return this.#listsInUse.find(({ name }) => name === list.name) ?? list
  }

  /** Removes counts of keys that are gone. The space of deleted rows is left to PostgreSQL's own vacuum. */
  async compact() {
    await this.transaction((tx) => tx.run('DELETE FROM quota_windows WHERE key_id NOT IN (SELECT id FROM api_keys)'))
  }

  async examine() {
    return [schemaFinding(await this.schemaDifferences())]
  }

  space() {
    return this.read(async (tx) => {
      const [row] = await tx.all<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes')
      return { sizeBytes: Number(row?.bytes) }
    })
  }

  schemaDifferences() {
    return explained(() => this.#pool.snapshot(schemaDifferences))
  }

  async *dump(): AsyncGenerator<TableChunk> {
    const client = await explained(() => this.#pool.connect())
    try {
      await client.query(this.#pool.begin(client, 'REPEATABLE READ READ ONLY'))
      yield* dumpTables(new PostgresTransaction(client, 0))
    } catch (error) {
      throw explain(error)
    } finally {
      // The transaction may be unfinished.
      client.release(true)
    }
  }

  load(chunks: AsyncIterable<TableChunk>) {
    const load = async (tx: Transaction) => {
      // Ensures that empty tables stay empty.
      await tx.run(`LOCK TABLE ${copiedTables.map(({ name }) => quoted(name)).join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
      const counts = await loadTables(tx, chunks)
      for (const { name, identity } of copiedTables)
        if (identity !== undefined)
          await tx.run(`
            SELECT setval(pg_get_serial_sequence('vitrine.${quoted(name)}', '${identity}'), coalesce(max(${identity}), 0) + 1, false)
            FROM ${quoted(name)}`)
      return counts
    }
    return this.#queue.run(() =>
      explained(async () => {
        const counts = await this.#run('READ COMMITTED', load)
        await this.#pool.query({ text: 'ANALYZE' })
        return counts
      }),
    )
  }

  stats() {
    return { queues: { transactions: this.#queue.occupancy }, pools: [this.#pool.stats('settings')] }
  }

  async close() {
    await this.#pool.end()
  }
}

async function findSessions(pool: SessionPool, hashes: string[]) {
  const { rows } = await pool.query<SessionRecord & { now: string }>({
    name: 'find sessions',
    text: `SELECT ${SESSION_COLUMNS}, clock_timestamp() AS now
           FROM vitrine.sessions WHERE hash = ANY ($1::text[])`,
    values: [hashes],
  })
  const sessions = new Map(rows.map(({ now, ...session }) => [session.hash, { session, nowMs: Date.parse(now) }]))
  return (hash: string) => sessions.get(hash)
}
