import type { TrailEntry } from './trail.ts'

/** Years of entries for most workspaces, and small enough for a spreadsheet. The command line exports the rest. */
const MAX_ENTRIES = 100_000

/** A slice at a time. */
export async function* exported<Row>(slices: AsyncIterable<{ matches: Row[] }>, { head, line }: ExportFormat<Row>) {
  let left = MAX_ENTRIES
  let text = head
  for await (const { matches } of slices) {
    text += matches.slice(0, left).map(line).join('')
    left -= matches.length
    if (text !== '') yield text
    text = ''
    if (left <= 0) return
  }
}

export interface ExportFormat<Row> {
  type: string
  head: string
  line(row: Row): string
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
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (row) =>
      `${JSON.stringify(Object.fromEntries(valuesOf(row).map((value, index) => [columns[index], value])))}\n`,
  },
})

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

const UNCHAINED = { number: null, previousHash: null, hash: null }

export const auditFormats = exportFormats<Omit<TrailEntry, 'position'>>(COLUMNS, ({ link, ...entry }) => {
  const values = { ...entry, ...(link ?? UNCHAINED) }
  return COLUMNS.map((name) => values[name])
})

/** An apostrophe keeps spreadsheets from running a formula. Readers can always strip the first one. */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
