import type { OperatorStore } from '../database/store.ts'
import { searchSlices, type TrailFilter } from './search.ts'
import type { TrailEntry } from './trail.ts'

/** Years of entries for most workspaces, and small enough for a spreadsheet. The command line exports the rest. */
const MAX_ENTRIES = 100_000

/** Newest first, a slice of the log at a time. */
export async function* exportTrail(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
  { head, line }: ExportFormat,
): AsyncGenerator<string> {
  let left = MAX_ENTRIES
  let text = head
  for await (const { found } of searchSlices(store, filter)) {
    text += found.slice(0, left).map(line).join('')
    left -= found.length
    if (text !== '') yield text
    text = ''
    if (left <= 0) return
  }
}

export interface ExportFormat {
  head: string
  line(entry: Omit<TrailEntry, 'position'>): string
}

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

const UNCHAINED = { number: null, previousHash: null, hash: null }

function valuesOf({ link, ...entry }: Omit<TrailEntry, 'position'>): [name: string, value: unknown][] {
  const values = { ...entry, ...(link ?? UNCHAINED) }
  return COLUMNS.map((name) => [name, values[name]])
}

const csvLine = (cells: readonly unknown[]): string =>
  `${cells.map((cell) => csvCell(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))).join(',')}\r\n`

/** RFC 4180: CRLF, quotes doubled. */
export const auditCsv: ExportFormat = {
  head: csvLine(COLUMNS),
  line: (entry) => csvLine(valuesOf(entry).map(([, value]) => value ?? '')),
}

export const auditNdjson: ExportFormat = {
  head: '',
  line: (entry) => `${JSON.stringify(Object.fromEntries(valuesOf(entry)))}\n`,
}

/** An apostrophe keeps spreadsheets from running a formula. Readers can always strip the first one. */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
