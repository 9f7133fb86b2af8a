import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { formatCount } from '../lib/format-count.ts'
import { logLine } from '../log-lines.ts'
import { LineSink, type LogStats, type WriteBlock } from './line-sink.ts'
import { printMessage } from './output.ts'

export function createLogger(
  level: Config['logLevel'],
  writeBlock: WriteBlock,
): { log: Logger; flush: () => Promise<void>; logStats: () => LogStats } {
  const sink = new LineSink(writeBlock, (lines) => logLine(log, 'linesLost', { lines }))
  const log: Logger = pino({ level, base: null, timestamp: () => `,"time":"${isoNow()}"` }, sink)
  async function flush() {
    const lost = await sink.end()
    if (lost > 0) printMessage(`vitrine: the log could not be written; lost lines: ${formatCount(lost)}`)
  }
  return { log, flush, logStats: () => sink.stats }
}

let millisecond = 0
let text = ''

/** Formats once per millisecond, since many lines share one. */
function isoNow(): string {
  const now = Date.now()
  if (now !== millisecond) text = new Date(now).toISOString()
  millisecond = now
  return text
}
