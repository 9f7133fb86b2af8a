import { bareProgram } from './bare.ts'
import { all, isRecorded } from './checks.ts'
import { type Check, contest, type Result } from './contest.ts'
import { exchange, type RawAnswer } from './exchange.ts'
import { compile, type Pace } from './pace.ts'
import type { Server } from './server.ts'
import type { Stage } from './stage.ts'

export interface Work {
  /** The same bytes go to everyone, but for a peer with a request of its own. */
  request: Buffer
  /** What is asked of every answer. */
  check: Check
  vitrine: Server
  peers: readonly { name: string; server: Server | Error; request?: Buffer }[]
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
    if (!(server instanceof Error)) await compile(server, request, recorded.status)
  const entrants = [
    ...bares.map((bare) => ({ ...bare, check: exactly })),
    { name: 'vitrine', server: vitrine, check: exactly },
    ...peers.map((peer) => ({ ...peer, check })),
  ]
  const results = await contest(
    entrants.map((entrant) => ({ request, ...entrant })),
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
