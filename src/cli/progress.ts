import { formatCount } from '../lib/format-count.ts'

const REDRAW_INTERVAL_MS = 100
const ERASE_LINE = '\r\x1b[K'

/** A terminal has one line for it: what is drawn there, and when it was. */
let line = ''
let drawnAtMs = 0

/** Shows what a command is doing while it takes long, on a terminal. The line is gone when the work is done, or has failed. */
export async function withProgress<T>(phase: string, work: () => Promise<T>): Promise<T> {
  showPhase(phase)
  try {
    return await work()
  } finally {
    clearProgress()
  }
}

/** Drawn at once: what follows may be one step of the database, during which nothing can be drawn. */
export const showPhase = (name: string): void => draw(`${name} …`)

/** Drawn now and then: what is being done, how much is done, and of how much if that is known. */
export function showCount(phase: string, done: number, unit: string, total?: number): void {
  if (performance.now() < drawnAtMs + REDRAW_INTERVAL_MS) return
  draw(`${phase}: ${formatCount(done)}${total === undefined ? '' : ` of ${formatCount(total)}`} ${unit}`)
}

/** To be called before anything else is written, so that it gets a line of its own. */
export function clearProgress(): void {
  if (line !== '') process.stderr.write(ERASE_LINE)
  line = ''
}

function draw(text: string): void {
  const { isTTY, columns } = process.stderr
  if (!isTTY || process.env.TERM === 'dumb') return
  // A longer line would wrap, and only its last part could be erased.
  line = text.slice(0, (columns || Number.POSITIVE_INFINITY) - 1)
  process.stderr.write(ERASE_LINE + line)
  drawnAtMs = performance.now()
}
