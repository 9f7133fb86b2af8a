import { bareProgram } from './bare.ts'
import { all, isRecorded } from './checks.ts'
import { type Check, contest, type Result } from './contest.ts'
import { exchange } from './exchange.ts'
import type { Pace } from './pace.ts'
import type { Server } from './server.ts'
import type { Stage } from './stage.ts'

export interface Work {
  /** The same bytes go to everyone. */
  request: Buffer
  /** What is asked of every answer. */
  check: Check
  vitrine: Server
  peers: readonly { name: string; server: Server | Error }[]
  /** Also a baseline that reads the request's body before it answers. */
  withBodyReader?: boolean
}

/** Vitrine and its peers against a bare server that sends Vitrine's own answer to the same request. */
export async function playWork(stage: Stage, work: Work, pace: Pace): Promise<Result[]> {
  const { request, check, vitrine, peers } = work
  const recorded = await exchange(vitrine.port, request)
  const fault = check(recorded)
  if (fault !== undefined) throw new Error(`Vitrine itself answers wrongly: ${fault}`)
  const bares = [
    { name: 'bare' },
    ...(work.withBodyReader ? [{ name: 'bare, reading the body first', readsBody: true }] : []),
  ]
  const servers: { name: string; server: Server | Error; check: Check }[] = []
  const exactly = all(check, isRecorded(recorded))
  for (const bare of bares)
    servers.push({
      name: bare.name,
      server: await stage.start(bareProgram(recorded, request, stage.folder, bare)),
      check: exactly,
    })
  servers.push({ name: 'vitrine', server: vitrine, check: exactly })
  servers.push(...peers.map((peer) => ({ ...peer, check })))
  const results = await contest(
    servers.map((server) => ({ ...server, request })),
    pace,
  )
  for (const { name, server } of servers) if (name.startsWith('bare') && !(server instanceof Error)) await server.stop()
  return results
}
