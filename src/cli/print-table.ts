import { heading, print, sanitize } from './output.ts'
import { type Layout, layOut, lineOf, stacked } from './table.ts'

/** A text that may be cut to fit a terminal: never an id, or what somebody would copy. */
export const mayShrink = <Row>(cell: Cell<Row>): Column<Row> => ({ cell, mayShrink: true })

type Cell<Row> = (row: Row) => string | number | null
type Column<Row> = { cell: Cell<Row>; mayShrink: true }

/** A further page of the same table is given the layout of the first, and has no header. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Record<string, Cell<Row> | Column<Row>>,
  former?: Layout,
): Layout {
  const names = Object.keys(columns)
  const cellsOf = Object.values(columns).map((column) => (typeof column === 'function' ? column : column.cell))
  const lines = rows.map((row) => cellsOf.map((cell) => sanitize(cell(row))))
  const shrinks = Object.values(columns).map((column) => typeof column !== 'function')
  const layout = former ?? layOut([names, ...lines], shrinks, process.stdout.isTTY ? process.stdout.columns : undefined)
  const head = former === undefined && layout.kind === 'table' ? [heading(lineOf(names, layout))] : []
  // Records that stand below each other are told apart by an empty line.
  const records = lines.map((line) => (layout.kind === 'table' ? lineOf(line, layout) : stacked(names, line, heading)))
  print([...head, ...records].join('\n'))
  return layout
}
