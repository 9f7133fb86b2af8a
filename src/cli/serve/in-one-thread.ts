import { logLine } from '../../log-lines.ts'
import { listen, localUrl, type Serve } from './listen.ts'
import { blockWriter, createLogger } from './logger.ts'
import { stop, stopSignal } from './stop.ts'
import { withServer } from './with-server.ts'

export const serveInOneThread: Serve = async (config, { resources }, collectors, onListening) => {
  const { log, flush, logStats } = createLogger(config.logLevel, blockWriter(1))
  try {
    await withServer(config, { log, resources, logStats }, async (server, collect) => {
      // A supervisor may send the signal as soon as the server listens.
      const stopping = stopSignal()
      const { port, listeners } = await listen(server, config)
      if (collect !== undefined) collectors.push({ worker: 1, collect })
      try {
        await onListening(localUrl(config.host, port))
      } catch (error) {
        // Open listeners would keep the program running.
        await stop(server, listeners, 0)
        throw error
      }
      logLine(log, 'stopping', { signal: await stopping })
      return stop(server, listeners, config.drainSeconds)
    })
    logLine(log, 'stopped', {})
  } finally {
    await flush()
  }
}
