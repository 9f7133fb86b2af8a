import { formatCount } from '../../lib/format-count.ts'

const REDRAW_INTERVAL_MS = 100
const ERASE_LINE = '\r\x1b[K'

let isShown = false
let drawnAtMs = 0

/** Draws a line such as "stored 40,000 of 100,000" on a terminal. */
export function showProgress(step: string, rows: number, all?: number): void {
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || performance.now() < drawnAtMs + REDRAW_INTERVAL_MS) return
  const total = all === undefined ? '' : ` of ${formatCount(all)}`
  process.stderr.write(`${ERASE_LINE}${step} ${formatCount(rows)}${total}`)
  drawnAtMs = performance.now()
  isShown = true
}

/** Call this before writing anything else to the terminal. */
export function clearProgress(): void {
  if (isShown) process.stderr.write(ERASE_LINE)
  isShown = false
}
