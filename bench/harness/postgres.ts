import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres-server.ts'
import { pinTo } from './machine.ts'
import { cpuSecondsOfTree, parentOf } from './process-stats.ts'
import type { Testbed } from './testbed.ts'

export interface BenchDatabase {
  url: string
  /** Of all its processes. */
  cpuSeconds(): number
  /** Committed since it was started. */
  transactions(): Promise<number>
}

/** A PostgreSQL server for as long as `run` takes, on a core of its own where there is a third. */
export async function withPostgres<T>(testbed: Testbed, run: (database: BenchDatabase) => Promise<T>): Promise<T> {
  // What is started now stays on this core.
  if (testbed.isPinned) pinTo(testbed.cores.database)
  const database = await startPostgres()
  if (testbed.isPinned) pinTo(testbed.cores.load)
  const client = new pg.Client({ connectionString: database.url })
  try {
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const postmaster = parentOf(Number(rows[0].pid))
    return await run({
      url: database.url,
      cpuSeconds: () => cpuSecondsOfTree(postmaster),
      transactions: () => transactions(client),
    })
  } finally {
    await client.end()
    await database.remove()
  }
}

async function transactions(client: pg.Client): Promise<number> {
  // Sessions that have just ended need a moment to report.
  await delay(200)
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()')
  return Number(rows[0].xact_commit)
}
