/** One of several threads that serve on the same port; see workers.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { SharedWindows } from '../database/shared-windows.ts'
import { loadResources } from './context.ts'
import { isExpected } from './errors.ts'
import type { WriteBlock } from './line-sink.ts'
import { listenBeside } from './listen.ts'
import { makeLogger } from './logger.ts'
import { stop } from './stop.ts'
import { withServer } from './with-server.ts'
import type { FromWorker, ToWorker, WorkerTask } from './worker-thread.ts'

const { config, resourcesUrl, windows, isFirst } = workerData as WorkerTask
const tell = (message: FromWorker) => parentPort?.postMessage(message)

let logged = () => {}
const writeBlock: WriteBlock = (block, done) => {
  logged = done
  tell({ kind: 'log', block })
}

const toldToStop = new Promise<void>((resolve) => {
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') resolve()
    if (message.kind === 'logged') logged()
  })
})

const { log, flush } = makeLogger(config.logLevel, writeBlock)
try {
  const resources = await loadResources(resourcesUrl)
  const parts = { log, resources, windows: new SharedWindows(windows), isBeside: !isFirst }
  await withServer(config, parts, async (server) => {
    const { port, listeners } = await listenBeside(server, config, { isFirst })
    tell({ kind: 'listening', port })
    await toldToStop
    return stop(server, listeners)
  })
} catch (error) {
  if (!isExpected(error)) throw error
  tell({ kind: 'refused', message: error.message })
} finally {
  await flush()
  parentPort?.close()
}
