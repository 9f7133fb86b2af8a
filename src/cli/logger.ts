import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import type { Occupancy } from '../lib/occupancy.ts'
import { LineSink, type WriteBlock } from './line-sink.ts'

/** JSON lines, written in blocks and not while a request is handled. */
export function createLogger(
  level: Config['logLevel'],
  writeBlock: WriteBlock,
): { log: Logger; flush: () => Promise<void>; unwritten: () => Occupancy } {
  const sink = new LineSink(writeBlock)
  const log = pino({ level, base: null, timestamp: () => `,"time":"${isoNow()}"` }, sink)
  return { log, flush: () => sink.end(), unwritten: () => sink.occupancy }
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
