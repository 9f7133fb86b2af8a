import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { LineSink, type WriteBlock } from './line-sink.ts'

/** JSON lines, written in blocks and not while a request is handled. */
export function createLogger(
  level: Config['logLevel'],
  writeBlock: WriteBlock,
): { log: Logger; flush: () => Promise<void> } {
  const sink = new LineSink(writeBlock)
  const log = pino({ level, base: null, timestamp: () => `,"time":"${isoNow()}"` }, sink)
  return { log, flush: () => sink.end() }
}

let millisecond = 0
let text = ''

/** Formatted once per millisecond, which many lines share. */
function isoNow(): string {
  const now = Date.now()
  if (now !== millisecond) {
    millisecond = now
    text = new Date(now).toISOString()
  }
  return text
}
