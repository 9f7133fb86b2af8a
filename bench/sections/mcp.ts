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
  { name: 'mcp-lite', package: 'mcp-lite', accept: 'application/json' },
  { name: 'hono-mcp', package: '@hono/mcp' },
]

const ID = 7
const ACCEPT = 'application/json, text/event-stream'

/** As widely used clients send it. */
export function rpc(key: string, method: string, params?: object, accept = ACCEPT): Buffer {
  return toBytes({
    method: 'POST',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept,
      ...(method !== 'initialize' && { 'mcp-protocol-version': '2025-03-26' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, ...(params !== undefined && { params }) }),
  })
}

export const listTasks = (key: string, { accept }: Pick<Peer, 'accept'> = {}): Buffer =>
  rpc(key, 'tools/call', { name: 'list_tasks', arguments: {} }, accept)

export const showsTasks = (tasks: unknown) => isRpc(ID, hasToolText(tasks))

const introduction = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

export const mcpWorks = (tasks: unknown) => [
  {
    name: '`tools/call` list_tasks, 100 tasks',
    method: 'tools/call',
    params: { name: 'list_tasks', arguments: {} },
    check: showsTasks(tasks),
  },
  { name: '`initialize`', method: 'initialize', params: introduction, check: isRpc(ID, introducesItself) },
  {
    name: '`tools/list`',
    method: 'tools/list',
    params: undefined,
    check: isRpc(ID, offersTools(['get_workspace', 'list_tasks'])),
  },
  { name: '`ping`', method: 'ping', params: undefined, check: isRpc(ID, isEmptyResult) },
]

export const run = (options: BenchOptions): Promise<string> =>
  onStage(async (stage) => {
    const { vitrine, key, tasks, dataFile } = await openExhibit(stage)
    const wanted = mcpPeers.filter(({ name }) => isWanted(name, options))
    const peers = await startPeers(stage, wanted, dataFile, listTasks(key))
    const parts = [`Peers: ${versionsOf(mcpPeers)}.`]
    const names = peers.map((peer) => peer.name)
    for (const [i, { name, method, params, check }] of mcpWorks(tasks).entries()) {
      const isMain = i === 0
      const work = {
        request: rpc(key, method, params),
        check,
        vitrine,
        peers: peers.map((peer) => ({ ...peer, request: rpc(key, method, params, peer.accept) })),
        withBodyReader: isMain || !options.quick,
      }
      const results = await playWork(stage, work, paceOf(options, isMain ? 'major' : 'minor'))
      parts.push(`### ${name}`, contestTable(results), timesTheBest(results, 'vitrine', names) ?? '')
    }
    return parts.filter((part) => part !== '').join('\n\n')
  })
