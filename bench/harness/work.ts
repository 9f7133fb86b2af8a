import { load } from '../load.ts'
import { bareProgram } from './bare.ts'
import { all, isRecorded } from './checks.ts'
import { type Check, contest, type Result } from './contest.ts'
import { exchange, type RawAnswer } from './exchange.ts'
import { CONNECTIONS, type Pace } from './pace.ts'
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
  const exactly = all(check, isRecorded(recorded))
  const bares = await startBares(stage, recorded, work)
  for (const { server } of [...bares, { server: vitrine }])
    if (!(server instanceof Error)) await warmUp(server, request, recorded.status)
  const entrants = [
    ...bares.map((bare) => ({ ...bare, check: exactly })),
    { name: 'vitrine', server: vitrine, check: exactly },
    ...peers.map((peer) => ({ ...peer, check })),
  ]
  const results = await contest(
    entrants.map((entrant) => ({ ...entrant, request })),
    pace,
  )
  for (const { server } of bares) if (!(server instanceof Error)) await server.stop()
  return results
}

async function startBares(stage: Stage, recorded: RawAnswer, { request, withBodyReader = false }: Work) {
  const kinds = [{ name: 'bare', readsBody: false }]
  if (withBodyReader) kinds.push({ name: 'bare, reading the body first', readsBody: true })
  const bares = []
  for (const kind of kinds)
    bares.push({ name: kind.name, server: await stage.start(bareProgram(recorded, request, stage.folder, kind)) })
  return bares
}

const COMPILED_AFTER_SECONDS = 0.5

/** Besides what all get: a new process, the baseline above all, must not be measured while it is being compiled. */
async function warmUp({ port }: Server, request: Buffer, status: number): Promise<void> {
  await load({ port, request, connections: CONNECTIONS, seconds: COMPILED_AFTER_SECONDS, status })
}
