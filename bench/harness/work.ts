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

const BARE_WARM_UP_SECONDS = 0.5

async function startBares(stage: Stage, recorded: RawAnswer, { request, withBodyReader = false }: Work) {
  const kinds = [{ name: 'bare', readsBody: false }]
  if (withBodyReader) kinds.push({ name: 'bare, reading the body first', readsBody: true })
  const bares = []
  for (const kind of kinds) {
    const server = await stage.start(bareProgram(recorded, request, stage.folder, kind))
    // The others have worked before; a baseline that is still being compiled would flatter them.
    if (!(server instanceof Error))
      await load({
        port: server.port,
        request,
        connections: CONNECTIONS,
        seconds: BARE_WARM_UP_SECONDS,
        status: recorded.status,
      })
    bares.push({ name: kind.name, server })
  }
  return bares
}
