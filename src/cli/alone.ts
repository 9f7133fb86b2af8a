import type { Config } from '../config.ts'
import type { Context } from './context.ts'
import { blockWriter } from './line-sink.ts'
import { listenAlone, type OnListening, urlOf } from './listen.ts'
import { makeLogger } from './logger.ts'
import { stop, stopSignal } from './stop.ts'
import { withServer } from './with-server.ts'

/** Serves in this thread. */
export async function serveAlone(config: Config, { resources }: Context, onListening: OnListening): Promise<void> {
  const { log, flush } = makeLogger(config.logLevel, blockWriter(1))
  try {
    await withServer(config, { log, resources }, async (server) => {
      // Before it listens: whoever sees that it does may tell it to stop at once.
      const stopping = stopSignal()
      const { port, listeners } = await listenAlone(server, config)
      await onListening(urlOf(config.host, port))
      log.info({ signal: await stopping }, 'stopping')
      return stop(server, listeners)
    })
    log.info('stopped')
  } finally {
    await flush()
  }
}
