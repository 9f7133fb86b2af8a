import type { AuditRecord } from '../storage/store.ts'

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail'] as const

/** RFC 4180: CRLF, quotes doubled. */
export function* auditCsv(entries: Iterable<AuditRecord>): Generator<string> {
  yield csvLine(COLUMNS)
  for (const entry of entries)
    yield csvLine([entry.at, entry.actor, entry.action, entry.subject, JSON.stringify(entry.detail)])
}

/** One JSON object a line. */
export function* auditNdjson(entries: Iterable<AuditRecord>): Generator<string> {
  for (const { at, actor, action, subject, detail } of entries)
    yield `${JSON.stringify({ at, actor, action, subject, detail })}\n`
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A spreadsheet runs a cell that begins like a formula; an apostrophe before it makes it text. */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
