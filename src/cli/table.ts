import { cutToWidth, displayWidth } from './display-width.ts'

/** Below this a cut text says too little. */
const MIN_SHRUNK_WIDTH = 12
const GAP = '  '

/** How the cells of a table are arranged: in columns, or each record as lines of a name and a value. */
export type Layout = { kind: 'stacked' } | { kind: 'table'; widths: readonly number[]; onTerminal?: Fit | undefined }

interface Fit {
  shrinks: readonly boolean[]
}

/**
 * Fits a table into a terminal of so many columns: the widest texts that may shrink are cut. If that is not enough, records
 * are stacked. Without a terminal nothing is cut, and characters are counted, not what they take on a screen.
 */
export function layOut(lines: string[][], shrinks: readonly boolean[], columns: number | undefined): Layout {
  const measure = columns ? displayWidth : (cell: string) => cell.length
  const widths = shrinks.map((_, i) => Math.max(0, ...lines.map((line) => measure(line[i] ?? ''))))
  if (!columns) return { kind: 'table', widths }
  const [names = []] = lines
  const least = widths.map((width, i) =>
    shrinks[i] ? Math.min(width, Math.max(names[i]?.length ?? 0, MIN_SHRUNK_WIDTH)) : width,
  )
  const total = (of: readonly number[]) => of.reduce((sum, width) => sum + width, GAP.length * (of.length - 1))
  if (total(least) > columns) return { kind: 'stacked' }
  for (let over = total(widths) - columns; over > 0; over--) {
    const [widest] = widths
      .keys()
      .filter((i) => (widths[i] ?? 0) > (least[i] ?? 0))
      .toArray()
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest !== undefined) widths[widest] = (widths[widest] ?? 0) - 1
  }
  // A further page may have longer texts: the last column has the rest of the line.
  const last = widths.length - 1
  if (shrinks[last]) widths[last] = (widths[last] ?? 0) + Math.max(0, columns - total(widths))
  return { kind: 'table', widths, onTerminal: { shrinks } }
}

export function lineOf(cells: readonly string[], { widths, onTerminal }: Extract<Layout, { kind: 'table' }>): string {
  if (onTerminal === undefined)
    return cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(GAP)
      .trimEnd()
  const fitted = cells.map((cell, i) => {
    const shown = onTerminal.shrinks[i] ? cutToWidth(cell, widths[i] ?? 0) : cell
    return shown + ' '.repeat(Math.max(0, (widths[i] ?? 0) - displayWidth(shown)))
  })
  return fitted.join(GAP).trimEnd()
}

/** One record as lines, with an empty one after it. */
export function stacked(names: readonly string[], cells: readonly string[], heading: (name: string) => string): string {
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name, i) => `${heading(name.padEnd(width))}${GAP}${cells[i]}\n`).join('')
}
