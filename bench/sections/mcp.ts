import { type McpWork, mcpWorks, v2Works } from '../harness/mcp-works.ts'
import { isSelected, type Peer, type StartedPeer, startPeers, versionsOf } from '../harness/peers.ts'
import { type BenchOptions, scheduleFor } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { serveFixture } from '../harness/vitrine.ts'
import { runWorkload } from '../harness/workload.ts'
import { comparisonTable, ratioToBestPeer } from '../report/table.ts'

export const title = 'MCP'

const [callOf2025, callOf2026] = [mcpWorks[0] as McpWork, v2Works[0] as McpWork]

/** Of 2025-03-26. */
export const mcpPeers: readonly Peer[] = [
  { name: 'sdk-2025', package: '@modelcontextprotocol/server' },
  { name: 'mcp-lite', package: 'mcp-lite', accept: 'application/json' },
]

/** Of 2026-07-28. */
const modernPeers: readonly Peer[] = [{ name: 'sdk-2026', package: '@modelcontextprotocol/server' }]

export const listTasks = (key: string, { accept }: Pick<Peer, 'accept'> = {}): Buffer =>
  callOf2025.toRequest(key, accept)

export const showsTasks = callOf2025.check

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const { vitrine, key, dataFile } = await serveFixture(testbed)
    const start = (peers: readonly Peer[], { toRequest }: McpWork) =>
      startPeers(
        testbed,
        peers.filter(({ name }) => isSelected(name, options)),
        dataFile,
        toRequest(key),
      )
    const peersOf: Record<McpWork['protocol'], StartedPeer[]> = {
      '2025-03-26': await start(mcpPeers, callOf2025),
      '2026-07-28': await start(modernPeers, callOf2026),
    }
    const parts = [
      `Peers: ${versionsOf([...mcpPeers, ...modernPeers])}. Their data is in memory, and they check no keys and count nothing.`,
    ]
    for (const { name, protocol, toRequest, check, isMajor = false, isAgainstPeers } of [...mcpWorks, ...v2Works]) {
      const peers = isAgainstPeers ? peersOf[protocol] : []
      const work = {
        request: toRequest(key),
        check,
        vitrine,
        peers: peers.map((peer) => ({ ...peer, request: toRequest(key, peer.accept) })),
        withBodyReader: isMajor || !options.quick,
      }
      const results = await runWorkload(testbed, work, scheduleFor(options, isMajor ? 'major' : 'minor'))
      const names = peers.map((peer) => peer.name)
      parts.push(`### ${name}`, comparisonTable(results), ratioToBestPeer(results, 'vitrine', names) ?? '')
    }
    return parts.filter((part) => part !== '').join('\n\n')
  })
