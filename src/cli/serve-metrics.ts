import type { Config } from '../config.ts'
import type { Collector } from '../metrics/collect.ts'
import { createMetricsServer } from '../metrics/endpoint.ts'
import { listenAlone, localUrl } from './listen.ts'
import { printMessage } from './output.ts'

export interface MetricsServer {
  /** Says where it is. */
  announce(): void
  close(): void
}

/** Serves the metrics of all threads on a port of their own. Loaded only if the settings ask for it. */
export async function serveMetrics(
  { host, workers }: Config,
  metricsPort: number,
  collectors: () => Collector[],
): Promise<MetricsServer> {
  const server = createMetricsServer(collectors, workers)
  const port = await listenAlone(server, { host, port: metricsPort }, 'METRICS_PORT')
  return {
    announce: () => printMessage(`Metrics are at ${localUrl(host, port)}/metrics`),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
