import { formatCount } from '../../lib/format-count.ts'

const REDRAW_INTERVAL_MS = 100
const ERASE_LINE = '\r\x1b[K'

let line = ''
let drawnAtMs = 0

export async function withProgress<T>(phase: string, work: () => Promise<T>): Promise<T> {
  showPhase(phase)
  try {
    return await work()
  } finally {
    clearProgress()
  }
}

/** Draws immediately, since a long database step may block the thread next. */
export const showPhase = (name: string): void => draw(`${name} …`)

export function showCount(phase: string, done: number, unit: string, total?: number): void {
  if (performance.now() < drawnAtMs + REDRAW_INTERVAL_MS) return
  draw(`${phase}: ${formatCount(done)}${total === undefined ? '' : ` of ${formatCount(total)}`} ${unit}`)
}

/** Call this before writing anything else to the terminal. */
export function clearProgress(): void {
  if (line !== '') process.stderr.write(ERASE_LINE)
  line = ''
}

function draw(text: string): void {
  const { isTTY, columns } = process.stderr
  if (!isTTY || process.env.TERM === 'dumb') return
  // A longer line would wrap, and only its last row could be erased.
  line = text.slice(0, (columns || Number.POSITIVE_INFINITY) - 1)
  process.stderr.write(ERASE_LINE + line)
  drawnAtMs = performance.now()
}
