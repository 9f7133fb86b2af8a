import pg from 'pg'
import { startPostgres } from '../../test/support/postgres-server.ts'
import { isJson } from '../harness/checks.ts'
import { asKeyHolder, openExhibit } from '../harness/exhibit.ts'
import { pinTo } from '../harness/machine.ts'
import { type BenchOptions, CONNECTIONS, MODEST_RATE, paceOf } from '../harness/pace.ts'
import { isWanted, startPeers } from '../harness/peers.ts'
import { onStage } from '../harness/stage.ts'
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
      const { vitrine, key, tasks, dataFile } = await openExhibit(stage, database.url)
      const wanted = mcpPeers.filter(({ name }) => name === BEST_PEER && isWanted(name, options))
      const peers = await startPeers(stage, wanted, dataFile, listTasks(key))
      const get = { request: asKeyHolder(key, '/tasks'), check: isJson(tasks), vitrine, peers: [] }
      const call = { request: listTasks(key), check: showsTasks(tasks), vitrine, peers, withBodyReader: true }
      const getResults = await playWork(stage, get, paceOf(options))
      const fast = await statementsPerRequest(client, vitrine.port, get.request, options)
      const slow = await statementsPerRequest(client, vitrine.port, get.request, options, MODEST_RATE)
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

async function statementsPerRequest(
  client: pg.Client,
  port: number,
  request: Buffer,
  { quick }: BenchOptions,
  rate?: number,
): Promise<number> {
  const before = await transactions(client)
  const { requests } = await load({
    port,
    request,
    connections: CONNECTIONS,
    seconds: quick ? 0.5 : 3,
    status: 200,
    ...(rate !== undefined && { rate }),
  })
  return ((await transactions(client)) - before) / requests
}

async function transactions(client: pg.Client): Promise<number> {
  // Other sessions report what they did with a delay of up to a second.
  await new Promise((resolve) => setTimeout(resolve, 1200))
  const { rows } = await client.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()')
  return Number(rows[0].xact_commit)
}
