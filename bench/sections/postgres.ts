import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres-server.ts'
import { isJson } from '../harness/checks.ts'
import { asKeyHolder, openExhibit } from '../harness/exhibit.ts'
import { pinTo } from '../harness/machine.ts'
import { type BenchOptions, CONNECTIONS, MODEST_RATE, paceOf } from '../harness/pace.ts'
import { isWanted, startPeers } from '../harness/peers.ts'
import type { ServerProgram } from '../harness/server.ts'
import { onStage, type Stage } from '../harness/stage.ts'
import { contestTable, timesTheBest } from '../harness/table.ts'
import { playWork } from '../harness/work.ts'
import { load } from '../load.ts'
import { listTasks, mcpPeers, showsTasks } from './mcp.ts'

export const title = 'PostgreSQL behind it'

/** The best of the MCP peers, as the section about MCP shows. */
const BEST_PEER = 'mcp-lite'

export const run = (options: BenchOptions): Promise<string> =>
  onStage(async (stage) => {
    // What is started now stays on this core.
    pinTo(stage.cores.database)
    const database = await startPostgres()
    pinTo(stage.cores.load)
    const client = new pg.Client({ connectionString: database.url })
    try {
      await client.connect()
      const { vitrine, program, key, tasks, dataFile } = await openExhibit(stage, database.url)
      const wanted = mcpPeers.filter(({ name }) => name === BEST_PEER && isWanted(name, options))
      const peers = await startPeers(stage, wanted, dataFile, listTasks(key))
      const get = { request: asKeyHolder(key, '/tasks'), check: isJson(tasks), vitrine, peers: [] }
      const call = {
        request: listTasks(key),
        check: showsTasks(tasks),
        vitrine,
        peers: peers.map((peer) => ({ ...peer, request: listTasks(key, peer) })),
        withBodyReader: true,
      }
      const getResults = await playWork(stage, get, paceOf(options))
      const perRequest = transactionCounter(stage, client, program)
      const fast = await perRequest(options.quick ? 0.3 : 2)
      const slow = await perRequest(options.quick ? 0.5 : 3, MODEST_RATE)
      const callResults = await playWork(stage, call, paceOf(options, options.quick ? 'minor' : 'major'))
      await vitrine.stop()
      return [
        'The database shares the core of the load where there is no third; only what Vitrine itself spends is counted.',
        '### `GET /tasks`, 100 tasks',
        contestTable(getResults),
        `Transactions in the database for each request: ${fast.toFixed(2)} at full speed, ${slow.toFixed(2)} at ` +
          `${MODEST_RATE} requests a second.`,
        '### `tools/call` list_tasks, 100 tasks',
        contestTable(callResults),
        timesTheBest(callResults, 'vitrine', [BEST_PEER]) ?? '',
      ]
        .filter((part) => part !== '')
        .join('\n\n')
    } finally {
      await client.end()
      await database.remove()
    }
  })

type PerRequest = (seconds: number, rate?: number) => Promise<number>

/**
 * Transactions per request of a Vitrine that does nothing else. A session may keep what it did to itself for ten seconds
 * but reports it when it ends, so each count has a process of its own; what it does on its own is left out.
 */
function transactionCounter(stage: Stage, client: pg.Client, program: ServerProgram): PerRequest {
  async function during(work: (port: number) => Promise<unknown>): Promise<number> {
    const before = await transactions(client)
    const server = await stage.require(program)
    await work(server.port)
    await server.stop()
    return (await transactions(client)) - before
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

async function transactions(client: pg.Client): Promise<number> {
  // Sessions that have just ended need a moment to report.
  await delay(200)
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()')
  return Number(rows[0].xact_commit)
}
