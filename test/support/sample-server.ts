import { createServer, type ServerResponse } from 'node:http'
import type { KeyOutcome } from '../../src/keys/history.ts'
import { assetAt } from '../../src/web/assets.ts'
import { outcomeText } from '../../src/web/keys/create/created.ts'
import { type OverviewModel, overviewParts } from '../../src/web/overview/overview.ts'
import { listen } from './listen.ts'
import { overviewModel } from './sample-overview.ts'
import { samplePages } from './sample-pages.ts'

/** As strict as the service's own: what breaks under it breaks here. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface SampleServer {
  url: string
  /** What `first-use` returns from now on. */
  outcome: KeyOutcome | null
  /** What the overview's poll gets from now on; counts the polls. */
  overview: { status: number; model: OverviewModel; polls: number }
  close(): void
}

/** Serves /<name of a sample>, the assets and `first-use`; no sessions, no storage. */
export async function startSampleServer(): Promise<SampleServer> {
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://sample').pathname
    const asset = assetAt(path)
    if (asset !== undefined) return send(res, 200, asset.type, asset.bytes, 'max-age=3600')
    if (path.endsWith('/first-use')) {
      const { outcome } = samples
      const response = { outcome: outcome && { ...outcome, text: outcomeText(outcome) } }
      return send(res, 200, 'application/json', JSON.stringify(response))
    }
    if (path.endsWith('/overview') && path.startsWith('/api/')) {
      const { overview } = samples
      overview.polls++
      const parts = Object.entries(overviewParts(overview.model)).map(([name, { text }]) => [name, text])
      return send(res, overview.status, 'application/json', JSON.stringify({ parts: Object.fromEntries(parts) }))
    }
    const page = samplePages[path.slice(1)]
    if (page === undefined) return send(res, 404, 'text/plain', 'no such sample')
    send(res, 200, 'text/html; charset=utf-8', page())
  })
  const port = await listen(server)
  const samples: SampleServer = {
    url: `http://127.0.0.1:${port}`,
    outcome: null,
    overview: { status: 200, model: overviewModel, polls: 0 },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return samples
}

function send(res: ServerResponse, status: number, type: string, body: string | Buffer, caching = 'no-store') {
  res.writeHead(status, { 'Content-Type': type, 'Content-Security-Policy': POLICY, 'Cache-Control': caching })
  res.end(body)
}
