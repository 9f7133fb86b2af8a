import type { Config } from '../config.ts'
import type { Collector } from '../metrics/collect.ts'
import { listenAlone, localUrl } from './listen.ts'
import { printMessage } from './output.ts'

export interface MetricsServer {
  /** Says where it is. */
  announce(): void
  close(): void
}

/** Serves metrics of all threads on a port of their own, if the settings ask for it. Does not keep the program running. */
export async function serveMetrics(
  { host, metricsPort, workers }: Config,
  collectors: () => Collector[],
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined
  const { createMetricsServer } = await import('../metrics/endpoint.ts')
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
