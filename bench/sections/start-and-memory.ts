import { bareProgram } from '../harness/bare.ts'
import { exchange } from '../harness/exchange.ts'
import { isSelected, peerProgram } from '../harness/peers.ts'
import { type BenchOptions, CONNECTIONS } from '../harness/schedule.ts'
import type { Server, ServerProgram } from '../harness/server.ts'
import { type Testbed, withTestbed } from '../harness/testbed.ts'
import { getWithKey, serveFixture } from '../harness/vitrine.ts'
import { load } from '../load/load.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'
import { listTasks, mcpPeers } from './mcp.ts'
import { peerEnv, restPeers } from './rest.ts'

export const title = 'Cold start and memory'

interface Trial {
  name: string
  program: ServerProgram
  startsMs: number[]
  rssBytes: number
  fault?: string
}

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const { quick, rounds = quick ? 1 : 9, roundSeconds = quick ? 0.3 : 2 } = options
    const trials = await prepareTrials(testbed, options)
    // The first start of each only fills its compile cache.
    for (let round = 0; round <= rounds; round++)
      for (const trial of trials)
        await attempt(trial, async () => {
          const server = await testbed.require(trial.program)
          if (round > 0) trial.startsMs.push(server.startMs)
          if (round === rounds) trial.rssBytes = await rssAfterLoad(server, trial.program.probe, roundSeconds)
          await server.stop()
        })
    return [
      `From the start of the process to its first 200, ${rounds} of each in turns; RSS after ${roundSeconds} s of ` +
        'load. The bare server, Vitrine and Fastify answer `GET /tasks`, MCP peers `tools/call`. All have a filled compile cache.',
      resultTable(trials),
    ].join('\n\n')
  })

async function prepareTrials(testbed: Testbed, options: BenchOptions): Promise<Trial[]> {
  const { vitrine, program, key, dataFile, databaseUrl } = await serveFixture(testbed)
  const get = getWithKey(key, '/tasks')
  const recorded = await exchange(vitrine.port, get)
  await vitrine.stop()
  const programs = [
    bareProgram(recorded, get, testbed.folder),
    program,
    ...restPeers.map((peer) => peerProgram(peer, dataFile, get, peerEnv(databaseUrl))),
    ...mcpPeers.map((peer) => peerProgram(peer, dataFile, listTasks(key, peer))),
  ].filter(({ name }) => name === 'bare' || isSelected(name, options))
  const cache = { NODE_COMPILE_CACHE: `${testbed.folder}/compile-cache` }
  return programs.map((each) => ({
    name: each.name,
    program: { ...each, env: { ...each.env, ...cache } },
    startsMs: [],
    rssBytes: 0,
  }))
}

async function attempt(trial: Trial, step: () => Promise<void>): Promise<void> {
  if (trial.fault !== undefined) return
  try {
    await step()
  } catch (error) {
    trial.fault = (error as Error).message
  }
}

async function rssAfterLoad(server: Server, request: Buffer, seconds: number): Promise<number> {
  await load({ port: server.port, request, connections: CONNECTIONS, seconds, status: 200 })
  return server.rssBytes()
}

function resultTable(trials: readonly Trial[]): string {
  const bare = trials[0] as Trial
  const header = ['server', 'start ms', 'start, against bare', 'RSS MiB', 'RSS, against bare']
  if (bare.fault !== undefined) return `There is no baseline to compare with: ${bare.fault}.`
  return table(
    header,
    trials.map(({ name, startsMs, rssBytes, fault }) => {
      if (fault !== undefined) return [name, `failed: ${fault}`, '', '', '']
      const ratio = name === 'bare' ? '1' : withSpread(spreadOf(ratios(startsMs, bare.startsMs)))
      const rssRatio = name === 'bare' ? '1' : `**${(rssBytes / bare.rssBytes).toFixed(2)}**`
      return [name, median(startsMs).toFixed(0), ratio, mib(rssBytes), rssRatio]
    }),
  )
}
