import { hasToolText, introducesItself, isEmptyResult, isRpc, offersTools } from '../harness/checks.ts'
import { openExhibit } from '../harness/exhibit.ts'
import { type BenchOptions, paceOf } from '../harness/pace.ts'
import { isWanted, type Peer, startPeers, versionsOf } from '../harness/peers.ts'
import { onStage } from '../harness/stage.ts'
import { contestTable, timesTheBest } from '../harness/table.ts'
import { playWork } from '../harness/work.ts'
import { toBytes } from '../load.ts'

export const title = 'MCP'

export const mcpPeers: readonly Peer[] = [
  { name: 'sdk-1', package: '@modelcontextprotocol/sdk' },
  { name: 'server-2', package: '@modelcontextprotocol/server' },
  { name: 'fastmcp', package: 'fastmcp' },
  { name: 'mcp-handler', package: 'mcp-handler' },
  { name: 'mcp-lite', package: 'mcp-lite' },
  { name: 'hono-mcp', package: '@hono/mcp' },
]

const ID = 7

/** As widely used clients send it. */
export function rpc(key: string, method: string, params?: object): Buffer {
  return toBytes({
    method: 'POST',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(method !== 'initialize' && { 'mcp-protocol-version': '2025-03-26' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, ...(params !== undefined && { params }) }),
  })
}

export const listTasks = (key: string): Buffer => rpc(key, 'tools/call', { name: 'list_tasks', arguments: {} })

export const showsTasks = (tasks: unknown) => isRpc(ID, hasToolText(tasks))

const introduction = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

export const run = (options: BenchOptions): Promise<string> =>
  onStage(async (stage) => {
    const { vitrine, key, tasks, dataFile } = await openExhibit(stage)
    const wanted = mcpPeers.filter(({ name }) => isWanted(name, options))
    const peers = await startPeers(stage, wanted, dataFile, listTasks(key))
    const works = [
      { name: '`tools/call` list_tasks, 100 tasks', request: listTasks(key), check: showsTasks(tasks) },
      { name: '`initialize`', request: rpc(key, 'initialize', introduction), check: isRpc(ID, introducesItself) },
      {
        name: '`tools/list`',
        request: rpc(key, 'tools/list'),
        check: isRpc(ID, offersTools(['get_workspace', 'list_tasks'])),
      },
      { name: '`ping`', request: rpc(key, 'ping'), check: isRpc(ID, isEmptyResult) },
    ]
    const parts = [`Peers: ${versionsOf(mcpPeers)}.`]
    for (const [i, { name, ...work }] of works.entries()) {
      const pace = paceOf(options, i === 0 ? 'major' : 'minor')
      const results = await playWork(stage, { ...work, vitrine, peers, withBodyReader: true }, pace)
      const names = peers.map((peer) => peer.name)
      parts.push(`### ${name}`, contestTable(results), timesTheBest(results, 'vitrine', names) ?? '')
    }
    return parts.filter((part) => part !== '').join('\n\n')
  })
