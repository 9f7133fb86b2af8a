import type { PoolConfig } from 'pg'
import pg from 'pg'
import { SessionPool } from './session-pool.ts'
import { currentUrl, type PostgresDatabase } from './url.ts'

const CONNECT_TIMEOUT_MS = 2000
const STATEMENT_TIMEOUT_MS = 2000
/** For a server that has stopped responding, and so never reports a statement timeout. */
const SILENCE_TIMEOUT_MS = 3000

interface PoolOptions {
  purpose: string
  max: number
  readOnly?: boolean
  /** For an operator's commands, which may run for a long time. */
  isForCommands?: boolean
  /** An application's database, whose tables its role finds as usual. */
  isElsewhere?: boolean
}

export function createPool(
  database: PostgresDatabase,
  { purpose, max, readOnly = false, isForCommands = false, isElsewhere = false }: PoolOptions,
) {
  const ours = {
    // Parallel or compiled plans cost short queries more than they save.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    // Excludes schemas where other roles could create functions and operators that our statements would call.
    search_path: 'vitrine',
    ...(readOnly && IN_INDEX_ORDER),
  }
  const settings = {
    ...(!isElsewhere && ours),
    // The database or the role may have other defaults.
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    // Otherwise requests that count for the same key at once would fail.
    default_transaction_isolation: 'read committed',
    ...(readOnly && { default_transaction_read_only: 'on' }),
    // The role may have a timeout of its own, such as the one in docs/sql/roles.sql, which is meant for the server.
    statement_timeout: isForCommands ? '0' : String(STATEMENT_TIMEOUT_MS),
  }
  const config: PoolConfig = {
    application_name: `vitrine ${purpose}`,
    max,
    connectionTimeoutMillis: isForCommands ? 10_000 : CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: TYPES,
    // An import may pause for a long time.
    ...(isForCommands && { idleTimeoutMillis: 0 }),
    ...((isForCommands || isElsewhere) && { allowExitOnIdle: true }),
    ...(!isForCommands && { query_timeout: SILENCE_TIMEOUT_MS }),
  }
  return new SessionPool(currentUrl(database), settings, config)
}

/**
 * Public reads take a few rows of a list in the order of its index. PostgreSQL may not know yet that the list has become long, and
 * would read and sort all of it for each few.
 */
const IN_INDEX_ORDER = { enable_seqscan: 'off', enable_bitmapscan: 'off', enable_sort: 'off' }

const asText = (text: string) => text

const TEXT_ARRAY = 1009 as Parameters<typeof pg.types.getTypeParser>[0]

/** Rows look the same as SQLite's: integers as numbers, instants as ISO text, decimals as text. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.BOOL]: (text) => text === 't',
  [pg.types.builtins.INT4]: Number,
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.BYTEA]: (text) => Buffer.from(text.slice('\\x'.length), 'hex'),
  [pg.types.builtins.TIMESTAMPTZ]: toIso,
  [TEXT_ARRAY]: pg.types.getTypeParser(TEXT_ARRAY),
}

const TYPES = { getTypeParser: (oid: number) => parsers[oid] ?? asText } as NonNullable<PoolConfig['types']>

/** Turns `2026-11-15 09:00:00.1234+00` into `2026-11-15T09:00:00.123Z`. */
function toIso(text: string): string {
  if (!text.endsWith('+00')) throw new Error("the session's timezone is not UTC")
  const milliseconds = text.slice(20, -3).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}
