/** The service in a process of its own, as `vitrine serve` assembles it, that reports its memory to its parent. */

import { listen } from '../../src/cli/serve/listen.ts'
import { blockWriter, createLogger } from '../../src/cli/serve/logger.ts'
import { stop } from '../../src/cli/serve/stop.ts'
import { withServer } from '../../src/cli/serve/with-server.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../resources/declared/orders.ts'

export interface Measured {
  pid: number
  connections: number
  /** Bytes, after a full collection. */
  heap: number
}

const config = readConfig(process.env)
const { log, flush, logStats } = createLogger('info', blockWriter(1))

await withServer(config, { log, logStats, resources }, async (server) => {
  const told = new Promise<void>((resolve) => {
    process.on('message', (message: 'measure' | 'stop') => {
      if (message === 'stop') return resolve()
      globalThis.gc?.()
      const connections = server.openConnections.size
      process.send?.({ pid: process.pid, connections, heap: process.memoryUsage().heapUsed } satisfies Measured)
    })
  })
  process.send?.(await listen(server, config))
  await told
  return stop(server, 0)
})
await flush()
process.disconnect()
