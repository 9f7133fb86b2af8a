import { setTimeout as delay } from 'node:timers/promises'
import { isJson } from '../harness/checks.ts'
import { isSelected, startPeers } from '../harness/peers.ts'
import { type BenchDatabase, withPostgres } from '../harness/postgres.ts'
import { type BenchOptions, CONNECTIONS, LATENCY_RATE, scheduleFor } from '../harness/schedule.ts'
import type { ServerProgram } from '../harness/server.ts'
import { type Testbed, withTestbed } from '../harness/testbed.ts'
import { getWithKey, serveFixture } from '../harness/vitrine.ts'
import { runWorkload } from '../harness/workload.ts'
import { load } from '../load/load.ts'
import { comparisonTable, ratioToBestPeer } from '../report/table.ts'
import { listTasks, mcpPeers, showsTasks } from './mcp.ts'

export const title = 'PostgreSQL behind it'

/** The best of the MCP peers, as the section about MCP shows. */
const BEST_PEER = 'mcp-lite'

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed((testbed) =>
    withPostgres(testbed, async (database) => {
      const { vitrine, program, key, tasks, dataFile } = await serveFixture(testbed, database.url)
      const selected = mcpPeers.filter(({ name }) => name === BEST_PEER && isSelected(name, options))
      const peers = await startPeers(testbed, selected, dataFile, listTasks(key))
      const get = { request: getWithKey(key, '/tasks'), check: isJson(tasks), vitrine, peers: [] }
      const call = {
        request: listTasks(key),
        check: showsTasks,
        vitrine,
        peers: peers.map((peer) => ({ ...peer, request: listTasks(key, peer) })),
        withBodyReader: true,
      }
      const getResults = await runWorkload(testbed, get, scheduleFor(options))
      const perRequest = transactionCounter(testbed, database, program)
      const fast = await perRequest(options.quick ? 0.3 : 2)
      const slow = await perRequest(options.quick ? 0.5 : 3, LATENCY_RATE)
      const callResults = await runWorkload(testbed, call, scheduleFor(options, options.quick ? 'minor' : 'major'))
      await vitrine.stop()
      return [
        'The database shares the core of the load where there is no third; only what Vitrine itself spends is counted.',
        '### `GET /tasks`, 100 tasks',
        comparisonTable(getResults),
        `Transactions in the database for each request: ${fast.toFixed(2)} at full speed, ${slow.toFixed(2)} at ` +
          `${LATENCY_RATE} requests a second.`,
        '### `tools/call` list_tasks, 100 tasks',
        comparisonTable(callResults),
        ratioToBestPeer(callResults, 'vitrine', [BEST_PEER]) ?? '',
      ]
        .filter((part) => part !== '')
        .join('\n\n')
    }),
  )

type PerRequest = (seconds: number, rate?: number) => Promise<number>

/**
 * Transactions per request of a Vitrine that does nothing else. A session may keep what it did to itself for ten seconds
 * but reports it when it ends, so each count has a process of its own; what it does on its own is left out.
 */
function transactionCounter(testbed: Testbed, database: BenchDatabase, program: ServerProgram): PerRequest {
  async function during(work: (port: number) => Promise<unknown>): Promise<number> {
    const before = await database.transactions()
    const server = await testbed.require(program)
    await work(server.port)
    await server.stop()
    return (await database.transactions()) - before
  }
  return async (seconds, rate) => {
    const onItsOwn = await during(() => delay(seconds * 1000))
    let requests = 0
    const options = { request: program.probe, connections: CONNECTIONS, seconds, status: 200 }
    const total = await during(async (port) => {
      requests = (await load({ port, ...options, ...(rate !== undefined && { rate }) })).requests
    })
    return (total - onItsOwn) / requests
  }
}
