import { bareProgram } from './bare.ts'
import { all, isRecorded } from './checks.ts'
import { type Check, compare, type Result } from './compare.ts'
import { exchange, type RawResponse } from './exchange.ts'
import { type Schedule, warmUpJit } from './schedule.ts'
import type { Server } from './server.ts'
import type { Testbed } from './testbed.ts'

interface Workload {
  /** The same bytes go to every target, but for a peer with a request of its own. */
  request: Buffer
  /** What is asked of every response. */
  check: Check
  vitrine: Server
  peers: readonly { name: string; server: Server | Error; request?: Buffer }[]
  /** Also a baseline that reads the request's body before it answers. */
  withBodyReader?: boolean
}

/** Vitrine and its peers against a bare server that sends Vitrine's own answer to the same request. */
export async function runWorkload(testbed: Testbed, workload: Workload, schedule: Schedule): Promise<Result[]> {
  const { request, check, vitrine, peers } = workload
  const recorded = await exchange(vitrine.port, request)
  const fault = check(recorded)
  if (fault !== undefined) throw new Error(`Vitrine itself answers wrongly: ${fault}`)
  const exactly = all(check, isRecorded(recorded))
  const baselines = await startBaselines(testbed, recorded, workload)
  for (const { server } of [...baselines, { server: vitrine }])
    if (!(server instanceof Error)) await warmUpJit(server, request, recorded.status)
  const targets = [
    ...baselines.map((baseline) => ({ ...baseline, check: exactly })),
    { name: 'vitrine', server: vitrine, check: exactly },
    ...peers.map((peer) => ({ ...peer, check })),
  ]
  const results = await compare(
    targets.map((target) => ({ request, ...target })),
    schedule,
  )
  for (const { server } of baselines) if (!(server instanceof Error)) await server.stop()
  return results
}

async function startBaselines(testbed: Testbed, recorded: RawResponse, { request, withBodyReader = false }: Workload) {
  const kinds = [{ name: 'bare', readsBody: false }]
  if (withBodyReader) kinds.push({ name: 'bare, reading the body first', readsBody: true })
  const baselines = []
  for (const kind of kinds)
    baselines.push({
      name: kind.name,
      server: await testbed.start(bareProgram(recorded, request, testbed.folder, kind)),
    })
  return baselines
}
