import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresServer } from '../support/postgres-server.ts'
import type { Recorder } from './history.ts'
import type { Replica, Server } from './servers.ts'

type Disturbance = () => Promise<void>

const between = (least: number, most: number) => least + Math.random() * (most - least)
export const oneOf = <T>(things: readonly T[]): T => things[Math.floor(Math.random() * things.length)] as T

/** Paused as a whole: requests that it had read get their responses when it continues. */
const pause = (servers: readonly Server[]) => async () => {
  const server = oneOf(servers)
  server.signal('SIGSTOP')
  await delay(between(200, 1200))
  server.signal('SIGCONT')
}

const crash = (servers: readonly Server[]) => () => oneOf(servers).restart()

/** What can happen to replicas and their database, each kind once a round, in any order. */
export function disturbReplicas(
  replicas: readonly Replica[],
  database: PostgresServer,
  recorder: Recorder,
): Disturbance[] {
  return [
    crash(replicas),
    pause(replicas),
    async () => oneOf(replicas).network.cut(),
    async () => {
      const { network } = oneOf(replicas)
      network.setSilent(true)
      await delay(between(100, 2500))
      network.setSilent(false)
    },
    async () => {
      await database.stop()
      await database.start()
    },
    async () => {
      // Counters are not written to the log of the database: its crash opens new windows.
      await recorder.during({ kind: 'forgetting' }, async () => {
        await database.kill()
        await database.start()
      })
    },
  ]
}

/** One process counts in its own memory: its crash opens new windows. */
export function disturbProgram(server: Server, recorder: Recorder): Disturbance[] {
  return [() => recorder.during({ kind: 'forgetting' }, crash([server])), pause([server]), pause([server])]
}

export async function inRounds(
  disturbances: readonly Disturbance[],
  rounds: number,
  isOver: AbortSignal,
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const disturbance of disturbances.toSorted(() => Math.random() - 0.5)) {
      if (isOver.aborted) return
      await delay(between(100, 600))
      await disturbance()
    }
}
