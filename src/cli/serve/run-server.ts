import type { Config } from '../../config.ts'
import { logLine } from '../../log-lines.ts'
import type { Collect } from '../../metrics/collect.ts'
import type { Resource } from '../../resources/define.ts'
import { listen, localUrl } from './listen.ts'
import { blockWriter, createLogger } from './logger.ts'
import { stop, stopSignal } from './stop.ts'
import { withServer } from './with-server.ts'

export interface Urls {
  url: string
  metricsUrl: string | undefined
}

/** Assembles the server, listens, and resolves when a signal has stopped it. The log goes to stdout, or to stderr. */
export async function runServer(
  config: Config,
  resources: readonly Resource[],
  onListening: (urls: Urls) => void | Promise<void>,
  logFd: 1 | 2 = 1,
): Promise<void> {
  const { log, flush, logStats } = createLogger(config.logLevel, blockWriter(logFd))
  try {
    await withServer(config, { log, logStats, resources }, async (server, collect) => {
      // A supervisor may send the signal as soon as the server listens.
      const stopping = stopSignal()
      using metrics = collect && (await serveMetrics(config, collect))
      const port = await listen(server, config)
      try {
        await onListening({ url: localUrl(config.host, port), metricsUrl: metrics?.url })
      } catch (error) {
        // An open port would keep the program running.
        await stop(server, 0)
        throw error
      }
      logLine(log, 'stopping', { signal: await stopping })
      return stop(server, config.drainSeconds)
    })
    logLine(log, 'stopped', {})
  } finally {
    await flush()
  }
}

async function serveMetrics({ host, metricsPort = 0 }: Config, collect: Collect) {
  const { createMetricsServer } = await import('../../metrics/endpoint.ts')
  const server = createMetricsServer(collect)
  const port = await listen(server, { host, port: metricsPort }, 'METRICS_PORT')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `${localUrl(host, port)}/metrics`, [Symbol.dispose]: close }
}
