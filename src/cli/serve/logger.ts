import { type Logger, pino } from 'pino'
import type { Config } from '../../config.ts'
import { formatCount } from '../../lib/format-count.ts'
import { isoOf } from '../../lib/instant.ts'
import { logLine } from '../../log-lines.ts'
import { printMessage } from '../terminal/output.ts'
import { LineSink, type WriteBlock } from './line-sink.ts'

export function createLogger(level: Config['logLevel'], writeBlock: WriteBlock) {
  const sink = new LineSink(writeBlock, (lines) => logLine(log, 'linesLost', { lines }))
  const log: Logger = pino({ level, base: null, timestamp: () => `,"time":"${isoOf(Date.now())}"` }, sink)
  async function flush() {
    const lost = await sink.end()
    if (lost > 0) printMessage(`vitrine: the log could not be written; lost lines: ${formatCount(lost)}`)
  }
  return { log, flush, logStats: () => sink.stats }
}
