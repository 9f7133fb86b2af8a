import type { OperatorStore } from '../database/store.ts'
import { readTrail, type TrailEntry, type TrailPosition, type TrailQuery } from './trail.ts'

const MAX_ENTRIES = 100_000
const CHUNK_ENTRIES = 5000

/** Read in chunks, so that no transaction is long; newest first, up to a bound that limits memory. */
export async function readForExport(
  store: Pick<OperatorStore, 'read'>,
  filter: Pick<TrailQuery, 'workspaceId' | 'keyId' | 'kind'>,
): Promise<TrailEntry[]> {
  const entries: TrailEntry[] = []
  let before: TrailPosition | null = null
  while (entries.length < MAX_ENTRIES) {
    const query: TrailQuery = { ...filter, before, limit: CHUNK_ENTRIES }
    const chunk = await store.read((tx) => readTrail(tx, query))
    entries.push(...chunk)
    before = chunk.at(-1)?.position ?? null
    if (chunk.length < CHUNK_ENTRIES) break
  }
  return entries
}

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
