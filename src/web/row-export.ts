import { formatCount } from '../lib/format-count.ts'

/** Fits into a spreadsheet, and covers years for most workspaces. The command line exports the rest of an audit log. */
const MAX_ROWS = 100_000

const CUT = `The newest ${formatCount(MAX_ROWS)}; older ones match too, and are not in this file.`

/** Yields the text of the file, a slice at a time. */
export async function* exportRows<Row>(
  slices: AsyncIterable<{ matches: Row[] }>,
  { head, line, cut }: ExportFormat<Row>,
) {
  let left = MAX_ROWS
  let text = head
  for await (const { matches } of slices) {
    text += matches.slice(0, left).map(line).join('')
    if (matches.length > left) {
      yield text + cut
      return
    }
    left -= matches.length
    if (text !== '') yield text
    text = ''
  }
}

export interface ExportFormat<Row> {
  type: string
  head: string
  line(row: Row): string
  /** The last line of a file that leaves rows out. Its other cells are empty, so the file can still be parsed. */
  cut: string
}

const csvLine = (cells: readonly unknown[]): string =>
  `${cells.map((cell) => csvCell(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))).join(',')}\r\n`

/** CSV as in RFC 4180: CRLF, quotes doubled. */
export const exportFormats = <Row>(
  columns: readonly string[],
  valuesOf: (row: Row) => unknown[],
): Record<'csv' | 'ndjson', ExportFormat<Row>> => ({
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvLine(columns),
    line: (row) => csvLine(valuesOf(row).map((value) => value ?? '')),
    cut: csvLine(columns.map((_, i) => (i === 0 ? CUT : ''))),
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (row) =>
      `${JSON.stringify(Object.fromEntries(valuesOf(row).map((value, index) => [columns[index], value])))}\n`,
    cut: `${JSON.stringify({ ...Object.fromEntries(columns.map((column) => [column, null])), truncated: CUT })}\n`,
  },
})

/** Where a spreadsheet could begin a cell, with what could be a formula. In many countries Excel splits lines at semicolons, whatever is quoted. */
const FORMULA = /(^|[;\t\r\n])(?="*[=+\-@\t\r'])/g

/** An apostrophe keeps spreadsheets from running a formula. Readers can always strip it. */
export function csvCell(text: string): string {
  const harmless = text.replace(FORMULA, "$1'")
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
