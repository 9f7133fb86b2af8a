import type { TestContext } from 'node:test'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { program } from '../support/program.ts'
import type { Violation } from './checker.ts'
import { Recorder } from './history.ts'
import { disturbProgram, disturbReplicas, inRounds } from './nemesis.ts'
import { runHistory } from './run.ts'
import { startProgram, startReplica } from './servers.ts'

/** Three replicas on a PostgreSQL of their own, which is disturbed too. */
export async function replicasUnderFaults(t: TestContext, rounds: number): Promise<Violation[]> {
  const database = await startPostgres({ max_connections: '100' })
  t.after(() => database.remove())
  const recorder = new Recorder()
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(t, database.url)))
  const disturb = (isOver: AbortSignal) => inRounds(disturbReplicas(replicas, database, recorder), rounds, isOver)
  return runHistory(t, { databaseUrl: database.url, servers: replicas, recorder, disturb })
}

/** One program on SQLite. */
export async function programUnderFaults(t: TestContext, rounds: number): Promise<Violation[]> {
  const databaseUrl = await migratedDatabaseUrl(t, 'sqlite')
  const server = await startProgram(program(t, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }))
  const recorder = new Recorder()
  const disturb = (isOver: AbortSignal) => inRounds(disturbProgram(server, recorder), rounds, isOver)
  return runHistory(t, { databaseUrl, servers: [server], recorder, disturb })
}

/** Replicas of which one is faulty; returns what was found once that includes a violation of this rule. */
export async function faultyReplica(t: TestContext, fault: string, rule: RegExp): Promise<Violation[]> {
  const databaseUrl = await migratedDatabaseUrl(t, 'postgres')
  const recorder = new Recorder()
  const servers = await Promise.all([startReplica(t, databaseUrl, fault), startReplica(t, databaseUrl)])
  // Only that violation ends this history: others may come first, such as a stale read by a key that is being revoked.
  const disturb = (isOver: AbortSignal) =>
    new Promise<void>((resolve) => isOver.addEventListener('abort', () => resolve()))
  return runHistory(t, { databaseUrl, servers, recorder, disturb, rule })
}
