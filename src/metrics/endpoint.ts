import { createServer, type Server, type ServerResponse } from '../lib/node-http.ts'
import { shareConcurrent } from '../lib/share-concurrent.ts'
import type { Collect } from './collect.ts'
import { CONTENT_TYPE, exposition } from './exposition.ts'

const PATH = '/metrics'
/** Enough for a pair of Prometheus servers and an operator. */
const MAX_CONNECTIONS = 16
const MAX_HEADER_BYTES = 8192
const REQUEST_TIMEOUT_MS = 5000
/** Longer than a scrape takes, so it only affects clients that do not read. */
const STALL_TIMEOUT_MS = 10_000
/** Longer than Prometheus' usual interval of a minute, so that its connection is reused. */
const KEEP_ALIVE_MS = 75_000

/** Needs no key: anyone who can reach the port can read the metrics. */
export function createMetricsServer(collect: Collect): Server {
  const exposed = shareConcurrent(async () => exposition(await collect()))
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (req, res) => {
      const path = req.url?.split('?', 1)[0]
      if (path !== PATH) return respond(res, 404, `Metrics are at ${PATH}.\n`)
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        res.setHeader('Allow', 'GET, HEAD')
        return respond(res, 405, 'Only GET and HEAD are allowed here.\n')
      }
      exposed().then(
        (text) => respond(res, 200, text, CONTENT_TYPE),
        () => respond(res, 500, 'The metrics could not be collected.\n'),
      )
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  server.timeout = STALL_TIMEOUT_MS
  return server
}

function respond(res: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' }
  // A request body is not read, so the connection cannot be reused.
  if (res.req.method !== 'GET' && res.req.method !== 'HEAD') res.setHeader('Connection', 'close')
  res.writeHead(status, { ...headers, 'X-Content-Type-Options': 'nosniff' }).end(text)
}
