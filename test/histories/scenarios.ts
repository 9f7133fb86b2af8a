import type { TestContext } from 'node:test'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startPostgres } from '../support/postgres-server.ts'
import type { Violation } from './checker.ts'
import { Recorder } from './history.ts'
import { disturbProgram, disturbReplicas, inRounds } from './nemesis.ts'
import { runHistory } from './run.ts'
import { startReplica, startServer } from './servers.ts'

/** Three replicas on a PostgreSQL of their own, which is disturbed too. */
export async function replicasUnderFaults(t: TestContext, rounds: number): Promise<Violation[]> {
  const database = await startPostgres({ max_connections: '100' })
  t.after(() => database.remove())
  const recorder = new Recorder()
  const replicas = [await startReplica(t, database.url)]
  for (const _ of [2, 3]) replicas.push(await startReplica(t, database.url))
  const disturb = (isOver: AbortSignal) => inRounds(disturbReplicas(replicas, database, recorder), rounds, isOver)
  return runHistory(t, { databaseUrl: database.url, servers: replicas, recorder, disturb })
}

/** One program on SQLite. */
export async function programUnderFaults(t: TestContext, rounds: number): Promise<Violation[]> {
  const databaseUrl = await migratedDatabaseUrl(t, 'sqlite')
  const server = await startServer(t, databaseUrl)
  const recorder = new Recorder()
  const disturb = (isOver: AbortSignal) => inRounds(disturbProgram(server, recorder), rounds, isOver)
  return runHistory(t, { databaseUrl, servers: [server], recorder, disturb })
}
