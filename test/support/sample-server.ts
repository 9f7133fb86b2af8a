import { createServer, type ServerResponse } from 'node:http'
import type { KeyOutcome } from '../../src/keys/history.ts'
import { assetAt } from '../../src/web/assets.ts'
import { outcomeText } from '../../src/web/keys/create/created.ts'
import { listen } from './listen.ts'
import { samplePages } from './sample-pages.ts'

/** As strict as the service's own: what breaks under it breaks here. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface SampleServer {
  url: string
  /** What `first-use` returns from now on. */
  outcome: KeyOutcome | null
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
    const page = samplePages[path.slice(1)]
    if (page === undefined) return send(res, 404, 'text/plain', 'no such sample')
    send(res, 200, 'text/html; charset=utf-8', page())
  })
  const port = await listen(server)
  const samples: SampleServer = {
    url: `http://127.0.0.1:${port}`,
    outcome: null,
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
