import type { QueryResult } from 'pg'
import { copiedTables, type TableChunk } from '../copied-tables.ts'
import { StorageError } from '../errors.ts'
import type { Restoration } from '../schema-difference.ts'
import {
  type HealthFinding,
  type OperatorStore,
  SESSION_COLUMNS,
  type SessionRecord,
  type Staging,
  type StoreFigures,
  type Transaction,
} from '../store.ts'
import type { Table } from '../table.ts'
import { PATIENCE_MS, TransactionQueue } from '../transaction-queue.ts'
import { Batcher } from './batcher.ts'
import { createPool } from './connect.ts'
import { dump, load } from './dump.ts'
import { examine } from './examine.ts'
import { hasPrivilege } from './examine-grants.ts'
import { explained, explainedEach, isDemoted, isTransient } from './faults.ts'
import { Hosts, type PostgresDatabase } from './hosts.ts'
import { readExpected } from './schema.ts'
import type { SessionPool } from './session-pool.ts'
import { PostgresStaging } from './staging.ts'
import { PostgresTransaction } from './transaction.ts'

/**
 * Anyone can invent cookies, so lookups of their sessions share statements and wait for at most the one transaction under
 * way. Beyond these bounds requests are refused.
 */
const FINDING_SESSIONS = { maxUnderWay: 1, maxWaiting: 1000, maxWaitingForOne: 100 }

/** Of a transaction that PostgreSQL ends in favour of others. They may be as many again the next time, but not for ever. */
const MAX_ATTEMPTS = 5

/** One connection, so that what is staged on it is there when a transaction takes it. */
export class PostgresOperatorStore implements OperatorStore {
  readonly #tables: readonly Table[]
  readonly #pool: SessionPool
  readonly #isBeside: boolean
  readonly #queue: TransactionQueue
  readonly #sessions = new Batcher(FINDING_SESSIONS, (waiting) => findSessions(this.#pool, [...waiting.keys()]))
  #staging: PostgresStaging | undefined

  constructor(database: PostgresDatabase, tables: readonly Table[], { beside = false }: { beside?: boolean } = {}) {
    this.#tables = tables
    this.#isBeside = beside
    this.#queue = new TransactionQueue(beside ? PATIENCE_MS : undefined)
    this.#pool = createPool(new Hosts(database), {
      purpose: beside ? 'settings' : 'operator',
      max: 1,
      patient: !beside,
    })
  }

  /** Whether the role has what docs/sql/settings-writes.sql grants: without some of it a settings page would fail. */
  mayWriteSettings(): Promise<boolean> {
    return explained(async () => {
      const has = readExpected().settings.map(hasPrivilege).join(' AND ')
      const { rows } = await this.#pool.query<{ may: boolean }>(`SELECT ${has} AS may`)
      return rows[0]?.may ?? false
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => explained(() => this.#attempt(work, MAX_ATTEMPTS)))
  }

  /** Through a pooler, what was staged has gone with the transaction. */
  async #attempt<T>(work: (tx: Transaction) => Promise<T>, attemptsLeft: number): Promise<T> {
    try {
      return await this.#run('BEGIN', work)
    } catch (error) {
      if (!isTransient(error) || attemptsLeft === 1 || this.#staging?.isInTransaction) throw error
      return this.#attempt(work, attemptsLeft - 1)
    }
  }

  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T> {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
    return this.#queue.run(() => explained(() => this.#run(begin, work)), isGone)
  }

  findSession(hash: string) {
    return explained(() => this.#sessions.ask(hash))
  }

  async #run<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const staging = this.#staging
    const client = await (staging?.client ?? this.#pool.connect())
    const release = (isBroken: boolean) => staging ?? client.release(isBroken)
    try {
      // Through a pooler, staged rows live in a transaction that has begun already.
      const first = staging?.isInTransaction ? '' : begin
      const results = await client.query(`${first}${this.#pool.localSettings(client)}; SELECT clock_timestamp() AS now`)
      // One result per statement; the last is the time.
      const time = (results as unknown as QueryResult<{ now: string }>[]).at(-1)?.rows[0]
      const value = await work(new PostgresTransaction(client, Date.parse(time?.now ?? ''), this.#isBeside))
      await client.query('COMMIT')
      release(false)
      return value
    } catch (error) {
      staging?.forgetComparison()
      await client.query('ROLLBACK').then(
        () => release(isDemoted(error)),
        () => release(true),
      )
      throw error
    }
  }

  stage(table: Table): Staging {
    this.#staging = new PostgresStaging(this.#pool, table, () => {
      this.#staging = undefined
    })
    return this.#staging
  }

  /** Rows go with their workspace: its deletion locks no one else's. */
  async tidy(): Promise<void> {}

  async backup(): Promise<void> {
    throw new StorageError('a PostgreSQL database is backed up with its own tools: pg_dump --schema=vitrine')
  }

  examine(): Promise<HealthFinding[]> {
    return explained(() => examine(this.#pool, this.#tables))
  }

  async restoreSchema(): Promise<Restoration> {
    const { restoreSchema } = await import('./schema.ts')
    return this.#queue.run(() => explained(() => restoreSchema(this.#pool, this.#tables)))
  }

  dump(): AsyncIterable<TableChunk> {
    return explainedEach(dump(this.#pool, copiedTables(this.#tables)))
  }

  load(chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>> {
    return this.#queue.run(() => explained(() => load(this.#pool, copiedTables(this.#tables), chunks)))
  }

  figures(): StoreFigures {
    return { queues: { transactions: this.#queue.occupancy }, pools: [this.#pool.figures('settings')] }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** Many in one statement; a session that does not exist costs one index lookup. */
async function findSessions(pool: SessionPool, hashes: string[]) {
  const { rows } = await pool.query<SessionRecord & { now: string }>({
    name: 'find sessions',
    text: `SELECT ${SESSION_COLUMNS}, clock_timestamp() AS now
           FROM vitrine.sessions WHERE hash = ANY ($1::text[])`,
    values: [hashes],
  })
  const found = new Map(rows.map(({ now, ...session }) => [session.hash, { session, nowMs: Date.parse(now) }]))
  return (hash: string) => found.get(hash)
}
