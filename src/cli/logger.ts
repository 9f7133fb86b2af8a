import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { LineSink, type WriteBlock } from './line-sink.ts'

/** Structured lines, written in blocks off the request's path. */
export function makeLogger(
  level: Config['logLevel'],
  writeBlock: WriteBlock,
): { log: Logger; flush: () => Promise<void> } {
  const sink = new LineSink(writeBlock)
  const log = pino({ level, base: null, timestamp: () => `,"time":"${isoNow()}"` }, sink)
  return { log, flush: () => sink.end() }
}

let millisecond = 0
let text = ''

/** Many lines fall into one millisecond: its text is made once. */
function isoNow(): string {
  const now = Date.now()
  if (now !== millisecond) {
    millisecond = now
    text = new Date(now).toISOString()
  }
  return text
}
