import type { OperatorStore } from '../database/store.ts'
import { searchTrail, type TrailFilter } from './search.ts'
import type { TrailEntry } from './trail.ts'

/** Bounds the memory that an export takes. */
const MAX_ENTRIES = 100_000

/** Newest first. */
export const readForExport = async (store: Pick<OperatorStore, 'read'>, filter: TrailFilter): Promise<TrailEntry[]> =>
  (await searchTrail(store, filter, { before: null, limit: MAX_ENTRIES })).entries

type Exported = Omit<TrailEntry, 'position'>

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

/** RFC 4180: CRLF, quotes doubled. */
export function* auditCsv(entries: Iterable<Exported>): Generator<string> {
  yield csvLine(COLUMNS)
  for (const { at, actor, action, subject, detail, workspaceId, link } of entries)
    yield csvLine([
      ...[at, actor, action, subject, JSON.stringify(detail), workspaceId],
      ...[link === null ? '' : String(link.number), link?.previousHash ?? '', link?.hash ?? ''],
    ])
}

/** One JSON object per line. */
export function* auditNdjson(entries: Iterable<Exported>): Generator<string> {
  for (const { at, actor, action, subject, detail, workspaceId, link } of entries) {
    const { number, previousHash, hash } = link ?? UNCHAINED
    yield `${JSON.stringify({ at, actor, action, subject, detail, workspaceId, number, previousHash, hash })}\n`
  }
}

const UNCHAINED = { number: null, previousHash: null, hash: null }

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/**
 * A spreadsheet runs a cell that begins like a formula; a leading apostrophe makes it text. So that readers can always
 * remove it again, a cell that begins with an apostrophe gets one too.
 */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
