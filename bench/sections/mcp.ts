import { hasToolText, introducesItself, isEmptyResult, isRpc, offersTools } from '../harness/checks.ts'
import { isSelected, type Peer, startPeers, versionsOf } from '../harness/peers.ts'
import { type BenchOptions, scheduleFor } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { serveFixture } from '../harness/vitrine.ts'
import { runWorkload } from '../harness/workload.ts'
import { toBytes } from '../load/load.ts'
import { comparisonTable, ratioToBestPeer } from '../report/table.ts'

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
  withTestbed(async (testbed) => {
    const { vitrine, key, tasks, dataFile } = await serveFixture(testbed)
    const wanted = mcpPeers.filter(({ name }) => isSelected(name, options))
    const peers = await startPeers(testbed, wanted, dataFile, listTasks(key))
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
      const results = await runWorkload(testbed, work, scheduleFor(options, isMain ? 'major' : 'minor'))
      parts.push(`### ${name}`, comparisonTable(results), ratioToBestPeer(results, 'vitrine', names) ?? '')
    }
    return parts.filter((part) => part !== '').join('\n\n')
  })
