import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { RateWindows } from '../../lib/rate-windows.ts'
import { logLine } from '../../log-lines.ts'
import { isExpected } from '../errors.ts'
import { localUrl, type Serve } from './listen.ts'
import { blockWriter, createLogger, serialize } from './logger.ts'
import { STOP_TIMEOUT_MS, stopSignal } from './stop.ts'
import { WorkerThread } from './worker-thread.ts'

const KILL_TIMEOUT_MS = STOP_TIMEOUT_MS + 5000

/**
 * Each thread has its own server and database connections; only quota counts are shared. The main thread writes all log
 * lines. If one thread fails, all stop, and a supervisor restarts the whole program.
 */
export const serveWithWorkers: Serve = async (config, { resourcesUrl }, collectors, onListening) => {
  const writeLog = serialize(blockWriter(1))
  const { log, flush } = createLogger(config.logLevel, writeLog)
  const rateWindows = RateWindows.createMemory()
  const cacheBytes = Math.floor(config.cacheBytes / config.workers)
  const threads: WorkerThread[] = []
  const start = (port: number) => {
    const data = { config: { ...config, port, cacheBytes }, resourcesUrl, rateWindows, isFirst: threads.length === 0 }
    const thread = new WorkerThread(data, writeLog)
    const worker = threads.push(thread)
    thread.listening.then(
      () => collectors.push({ worker, collect: () => thread.collect() }),
      () => {},
    )
    return thread
  }
  let isStopping = false
  const startOthers = async (port: number) => {
    while (threads.length < config.workers) start(port)
    await Promise.all(threads.map(({ listening }) => listening))
    if (isStopping) return
    await onListening(localUrl(config.host, port))
  }
  try {
    // The first thread may take long to migrate the database. Until it listens, a signal ends the program immediately.
    const port = await start(config.port).listening
    const stopping = stopSignal()
    const earlySignal = await Promise.race([startOthers(port), stopping])
    const firstEnded = Promise.race(threads.map(({ ended }) => ended))
    const signal = earlySignal ?? (await Promise.race([stopping, firstEnded]))
    isStopping = true
    logLine(log, 'stopping', { signal })
    await stopAll(threads, config)
    await Promise.all(threads.map(({ ended }) => ended))
    logLine(log, 'stopped', {})
  } catch (error) {
    isStopping = true
    if (!isExpected(error)) logLine(log, 'workerFailed', { failure: error })
    await stopAll(threads, config)
    throw error
  } finally {
    await flush()
  }
}

async function stopAll(threads: readonly WorkerThread[], { drainSeconds }: Config): Promise<void> {
  for (const thread of threads) thread.stop()
  const timeout = new AbortController()
  await Promise.race([
    Promise.allSettled(threads.map(({ ended }) => ended)),
    delay(drainSeconds * 1000 + KILL_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {}),
  ])
  timeout.abort()
  await Promise.all(threads.map((thread) => thread.terminate()))
}
