import type { Config } from '../config.ts'
import { logLine } from '../log-lines.ts'
import type { Context } from './context.ts'
import { blockWriter } from './line-sink.ts'
import { listenExclusively, localUrl, type OnListening } from './listen.ts'
import { createLogger } from './logger.ts'
import { stop, stopSignal } from './stop.ts'
import { withServer } from './with-server.ts'

export async function serveInOneThread(
  config: Config,
  { resources }: Context,
  onListening: OnListening,
): Promise<void> {
  const { log, flush, logFigures } = createLogger(config.logLevel, blockWriter(1))
  try {
    await withServer(config, { log, resources, logFigures }, async (server, collect) => {
      // Before it listens: a supervisor that sees it listening may stop it at once.
      const stopping = stopSignal()
      const { metricsPort } = config
      const metrics =
        metricsPort === undefined || collect === undefined
          ? undefined
          : await (await import('./serve-metrics.ts')).serveMetrics(config, metricsPort, () => [{ worker: 1, collect }])
      try {
        const { port, listeners } = await listenExclusively(server, config)
        metrics?.announce()
        await onListening(localUrl(config.host, port))
        logLine(log, 'stopping', { signal: await stopping })
        return await stop(server, listeners, config.drainSeconds)
      } finally {
        metrics?.close()
      }
    })
    logLine(log, 'stopped', {})
  } finally {
    await flush()
  }
}
