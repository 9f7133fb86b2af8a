import { hasStatus, isJson } from '../harness/checks.ts'
import { exchange, headerOf } from '../harness/exchange.ts'
import { isSelected, type Peer, startPeers, versionsOf } from '../harness/peers.ts'
import { type BenchOptions, scheduleFor } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { getWithKey, serveFixture } from '../harness/vitrine.ts'
import { runWorkload } from '../harness/workload.ts'
import { comparisonTable } from '../report/table.ts'

export const title = 'REST'

/** What a team would write instead: each request looks up its key by hash, counts, and reads the same database file. */
export const restPeers: readonly Peer[] = [{ name: 'fastify-keyed', package: 'fastify' }]

export const peerEnv = (databaseUrl: string) => ({ BENCH_DATABASE: databaseUrl.replace('sqlite:', '') })

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const { vitrine, key, tasks, workspace, dataFile, databaseUrl } = await serveFixture(testbed)
    const selected = restPeers.filter(({ name }) => isSelected(name, options))
    const env = peerEnv(databaseUrl)
    const peers = await startPeers(testbed, selected, dataFile, getWithKey(key, '/tasks'), env)
    const etag = headerOf(await exchange(vitrine.port, getWithKey(key, '/tasks')), 'etag') ?? ''
    const works = [
      {
        name: '`GET /tasks`, 100 tasks',
        path: '/tasks',
        headers: {},
        check: isJson(tasks),
        peers,
        weight: 'major' as const,
      },
      {
        name: '`GET /workspace`',
        path: '/workspace',
        headers: {},
        check: isJson(workspace),
        peers,
        weight: 'minor' as const,
      },
      {
        name: '`GET /tasks` with a matching `If-None-Match`',
        path: '/tasks',
        headers: { 'if-none-match': etag },
        check: hasStatus(304),
        peers: [],
        weight: 'minor' as const,
      },
    ]
    const parts = [
      `Peer: ${versionsOf(restPeers)}. It looks up the key by its hash and the rows in Vitrine's SQLite file for each request, and counts it.`,
    ]
    for (const { name, path, headers, weight, ...work } of works) {
      const request = getWithKey(key, path, headers)
      parts.push(
        `### ${name}`,
        comparisonTable(await runWorkload(testbed, { ...work, request, vitrine }, scheduleFor(options, weight))),
      )
    }
    return parts.join('\n\n')
  })
