import { setImmediate } from 'node:timers/promises'
import type { OperatorStore } from '../database/store.ts'
import { type AuditKind, isOfKind, readTrail, type TrailEntry, type TrailPosition } from './trail.ts'
import { actionText } from './wording.ts'

export interface TrailFilter {
  workspaceId: string
  keyId: string | null
  kind: AuditKind | null
  /** Without what was refused, which is not in the chain. */
  isChained?: boolean
  /** Part of who did it, in any case. */
  actor: string
  /** Words, in any case: each must be in an entry. */
  search: string
  /** Instants: from the first on, until before the second. */
  from: string | null
  until: string | null
  /** What else a key is found by, by its id: its label of now, and what is shown of the key itself. */
  keyNames?: ReadonlyMap<string, string>
}

export interface FoundEntries {
  /** Newest first. */
  entries: TrailEntry[]
  /** Where to go on; null if there is nothing older. */
  next: TrailPosition | null
  /** Whether the search stopped because it was long, so that what is older was not searched. */
  isCut: boolean
}

interface Extent {
  before: TrailPosition | null
  /** The most entries to find. */
  limit: number
  /** The most entries to look at. */
  mostSearched?: number
}

/** In one transaction; a thread that serves requests is not held up for longer than these take. */
const CHUNK_ENTRIES = 5000

/**
 * The entries that pass a filter. They are read by time alone, which has an index, and filtered here: so a page of a long
 * log costs a bounded amount of work, and both engines find the same, whatever the text.
 */
export async function searchTrail(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
  { before, limit, mostSearched = Number.POSITIVE_INFINITY }: Extent,
): Promise<FoundEntries> {
  const { workspaceId, kind, isChained = false, from, until } = filter
  const passes = testOf(filter)
  // Without a filter, one more than wanted is enough to know whether there is more.
  const chunkEntries = passes === undefined ? Math.min(limit + 1, CHUNK_ENTRIES) : CHUNK_ENTRIES
  const entries: TrailEntry[] = []
  let position = before
  for (let searched = 0; ; ) {
    const query = { workspaceId, keyId: null, kind, isChained, from, until, before: position, limit: chunkEntries }
    const chunk = await store.read((tx) => readTrail(tx, query))
    for (const entry of chunk) if (passes?.(entry) ?? true) entries.push(entry)
    if (entries.length > limit) {
      entries.length = limit
      return { entries, next: entries.at(-1)?.position ?? null, isCut: false }
    }
    if (chunk.length < chunkEntries) return { entries, next: null, isCut: false }
    position = chunk.at(-1)?.position ?? null
    searched += chunk.length
    if (searched >= mostSearched) return { entries, next: position, isCut: true }
    await setImmediate()
  }
}

/** Undefined if all pass. */
function testOf({ keyId, kind, actor, search, keyNames }: TrailFilter): ((entry: TrailEntry) => boolean) | undefined {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const who = actor.toLowerCase()
  if (keyId === null && kind === null && who === '' && words.length === 0) return undefined
  return (entry) => {
    if (keyId !== null && entry.subject !== keyId) return false
    if (kind !== null && !isOfKind(entry, kind)) return false
    if (!entry.actor.toLowerCase().includes(who)) return false
    if (words.length === 0) return true
    const text = textOf(entry, keyNames?.get(entry.subject)).toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

/** All that people see of an entry, and the action as it is stored. */
const textOf = ({ action, actor, subject, detail }: TrailEntry, keyName = ''): string =>
  [actionText(action), action, actor, subject, keyName, ...valuesIn(detail)].join('\n')

function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part)
  else if (value !== null) yield String(value)
}
