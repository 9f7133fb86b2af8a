/** The entry point of the threads that with-workers.ts starts. */
import { parentPort, workerData } from 'node:worker_threads'
import { RateWindows } from '../../lib/rate-windows.ts'
import type { Collect } from '../../metrics/collect.ts'
import { loadResources } from '../context.ts'
import { isExpected } from '../errors.ts'
import { listen } from './listen.ts'
import { createLogger, type WriteBlock } from './logger.ts'
import { stop } from './stop.ts'
import { withServer } from './with-server.ts'
import type { FromWorker, ToWorker, WorkerData } from './worker-thread.ts'

const { config, resourcesUrl, rateWindows, isFirst } = workerData as WorkerData
const send = (message: FromWorker) => parentPort?.postMessage(message)

let onLogWritten = (_lostLines: number) => {}
const writeBlock: WriteBlock = (block, done) => {
  onLogWritten = done
  send({ kind: 'log', block })
}

let collectMetrics: Collect | undefined
const stopRequested = new Promise<void>((resolve) => {
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') resolve()
    if (message.kind === 'logged') onLogWritten(message.lostLines)
    // If collecting fails, the main thread reports this thread as down.
    if (message.kind === 'collect')
      collectMetrics?.().then(
        (samples) => send({ kind: 'collected', samples }),
        () => {},
      )
  })
})

const { log, flush, logStats } = createLogger(config.logLevel, writeBlock)
try {
  const resources = await loadResources(resourcesUrl, config.resources)
  const parts = { log, logStats, resources, rateWindows: new RateWindows(Date.now, rateWindows), isPrimary: isFirst }
  await withServer(config, parts, async (server, collect) => {
    collectMetrics = collect
    const { port, listeners } = await listen(server, config, { isFirst })
    send({ kind: 'listening', port })
    await stopRequested
    return stop(server, listeners, config.drainSeconds)
  })
} catch (error) {
  if (!isExpected(error)) throw error
  send({ kind: 'refused', message: error.message })
} finally {
  await flush()
  parentPort?.close()
}
