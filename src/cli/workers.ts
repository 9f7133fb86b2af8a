import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { SharedWindows } from '../database/shared-windows.ts'
import { describeFailure } from '../http/failure-log.ts'
import type { Context } from './context.ts'
import { isExpected } from './errors.ts'
import { blockWriter, oneAfterAnother } from './line-sink.ts'
import type { OnListening } from './listen.ts'
import { urlOf } from './listen.ts'
import { makeLogger } from './logger.ts'
import { PATIENCE_MS, stopSignal } from './stop.ts'
import { WorkerThread } from './worker-thread.ts'

const LAST_PATIENCE_MS = PATIENCE_MS + 5000

/**
 * Serves with several threads on one port: each is a whole server with connections of its own to the database, and only
 * the counts of quotas are shared. This thread starts and stops them, and writes their log, so that lines stay whole.
 * If one of them fails, all end: whoever started the program sees it, and nobody is served by half of it.
 */
export async function serveWithWorkers(
  config: Config,
  { resourcesUrl }: Context,
  onListening: OnListening,
): Promise<void> {
  const writeLog = oneAfterAnother(blockWriter(1))
  const { log, flush } = makeLogger(config.logLevel, writeLog)
  const windows = SharedWindows.createMemory()
  const cacheBytes = Math.floor(config.cacheBytes / config.workers)
  const threads: WorkerThread[] = []
  const start = (port: number) => {
    const task = { config: { ...config, port, cacheBytes }, resourcesUrl, windows, isFirst: threads.length === 0 }
    const thread = new WorkerThread(task, writeLog)
    threads.push(thread)
    return thread
  }
  let isStopping = false
  const startOthers = async (port: number) => {
    while (threads.length < config.workers) start(port)
    await Promise.all(threads.map(({ listening }) => listening))
    if (!isStopping) await onListening(urlOf(config.host, port))
  }
  try {
    // The first one alone finds out whether the settings are good, brings the database up to date, and takes the port.
    // That may take long; until then there is nothing to finish, and a signal ends the program at once.
    const port = await start(config.port).listening
    const stopping = stopSignal()
    const early = await Promise.race([startOthers(port), stopping])
    const anyEnded = Promise.race(threads.map(({ ended }) => ended))
    const signal = early ?? (await Promise.race([stopping, anyEnded]))
    isStopping = true
    log.info({ signal }, 'stopping')
    await endAll(threads)
    await Promise.all(threads.map(({ ended }) => ended))
    log.info('stopped')
  } catch (error) {
    isStopping = true
    if (!isExpected(error)) log.fatal({ failure: describeFailure(error) }, 'a worker failed; all of them stop')
    await endAll(threads)
    throw error
  } finally {
    await flush()
  }
}

/** They may finish what they are at, unless that takes too long. */
async function endAll(threads: readonly WorkerThread[]): Promise<void> {
  for (const thread of threads) thread.stop()
  const patience = new AbortController()
  await Promise.race([
    Promise.allSettled(threads.map(({ ended }) => ended)),
    pause(LAST_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {}),
  ])
  patience.abort()
  await Promise.all(threads.map((thread) => thread.terminate()))
}
