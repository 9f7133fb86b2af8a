import { hasStatus, isJson } from '../harness/checks.ts'
import { exchange, headerOf } from '../harness/exchange.ts'
import { asKeyHolder, openExhibit } from '../harness/exhibit.ts'
import { type BenchOptions, paceOf } from '../harness/pace.ts'
import { isWanted, type Peer, startPeers, versionsOf } from '../harness/peers.ts'
import { onStage } from '../harness/stage.ts'
import { contestTable } from '../harness/table.ts'
import { playWork } from '../harness/work.ts'

export const title = 'REST'

export const restPeers: readonly Peer[] = [
  { name: 'fastify', package: 'fastify' },
  { name: 'hono', package: 'hono' },
  { name: 'express', package: 'express' },
]

export const run = (options: BenchOptions): Promise<string> =>
  onStage(async (stage) => {
    const { vitrine, key, tasks, workspace, dataFile } = await openExhibit(stage)
    const wanted = restPeers.filter(({ name }) => isWanted(name, options))
    const peers = await startPeers(stage, wanted, dataFile, asKeyHolder(key, '/tasks'))
    const etag = headerOf(await exchange(vitrine.port, asKeyHolder(key, '/tasks')), 'etag') ?? ''
    const works = [
      { name: '`GET /tasks`, 100 tasks', path: '/tasks', headers: {}, check: isJson(tasks), peers },
      { name: '`GET /workspace`', path: '/workspace', headers: {}, check: isJson(workspace), peers },
      {
        name: '`GET /tasks` with a matching `If-None-Match`',
        path: '/tasks',
        headers: { 'if-none-match': etag },
        check: hasStatus(304),
        peers: [],
      },
    ]
    const parts = [`Peers: ${versionsOf(restPeers)}.`]
    for (const { name, path, headers, ...work } of works) {
      const request = asKeyHolder(key, path, headers)
      parts.push(`### ${name}`, contestTable(await playWork(stage, { ...work, request, vitrine }, paceOf(options))))
    }
    return parts.join('\n\n')
  })
