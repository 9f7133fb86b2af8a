import { destination, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** Structured lines on stdout, written in blocks off the request's path. */
export function makeLogger(level: Config['logLevel']): { log: Logger; flush: () => void } {
  const sink = destination({ fd: 1, sync: false, minLength: 4096 })
  // Whoever read the log may go away; the service goes on.
  sink.on('error', () => {})
  const log = pino({ level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, sink)
  const timer = setInterval(() => sink.flush(), 200).unref()
  return {
    log,
    flush: () => {
      clearInterval(timer)
      sink.flushSync()
    },
  }
}
