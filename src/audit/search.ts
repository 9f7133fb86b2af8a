import type { OperatorStore, Transaction } from '../database/store.ts'
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
  /** What else subjects are found by, such as a key's label of now. */
  namesOf?: (tx: Transaction, subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

interface FoundEntries {
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

/** In one read: a thread that serves requests is not held up for longer than these take. */
const SLICE_ENTRIES = 500

/**
 * The entries that pass a filter, a slice of the log at a time, newest first. They are read by time, or by subject and time, which
 * have an index, and filtered here: so both engines find the same, whatever the text.
 */
export async function* searchSlices(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
  before: TrailPosition | null = null,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ found: TrailEntry[]; searched: number; end: TrailPosition | null }> {
  const { workspaceId, keyId, kind, isChained = false, from, until } = filter
  const passes = testOf(filter)
  // Without a filter, one more than wanted is enough to know whether there is more.
  const limit = passes === undefined ? Math.min(most + 1, SLICE_ENTRIES) : SLICE_ENTRIES
  for (let position = before, isDone = false; !isDone; ) {
    const { slice, names } = await store.read(async (tx) => {
      const slice = await readTrail(tx, { workspaceId, keyId, kind, isChained, from, until, before: position, limit })
      const subjects = new Set(filter.search === '' ? [] : slice.map(({ subject }) => subject))
      return { slice, names: (await filter.namesOf?.(tx, [...subjects])) ?? new Map() }
    })
    isDone = slice.length < limit
    position = isDone ? null : (slice.at(-1)?.position ?? null)
    const found = passes === undefined ? slice : slice.filter((entry) => passes(entry, names.get(entry.subject)))
    yield { found, searched: slice.length, end: position }
  }
}

/** The first entries that pass a filter. */
export async function searchTrail(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
  { before, limit, mostSearched = Number.POSITIVE_INFINITY }: Extent,
): Promise<FoundEntries> {
  const entries: TrailEntry[] = []
  let total = 0
  for await (const { found, searched, end } of searchSlices(store, filter, before, limit)) {
    entries.push(...found)
    total += searched
    if (entries.length > limit) {
      entries.length = limit
      return { entries, next: entries.at(-1)?.position ?? null, isCut: false }
    }
    if (end !== null && total >= mostSearched) return { entries, next: end, isCut: true }
  }
  return { entries, next: null, isCut: false }
}

/** Undefined if all pass. */
function testOf({
  kind,
  actor,
  search,
}: TrailFilter): ((entry: TrailEntry, name: string | undefined) => boolean) | undefined {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const who = actor.toLowerCase()
  if (kind === null && who === '' && words.length === 0) return undefined
  return (entry, name) => {
    if (kind !== null && !isOfKind(entry, kind)) return false
    if (!entry.actor.toLowerCase().includes(who)) return false
    if (words.length === 0) return true
    const text = textOf(entry, name).toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

/** All that people see of an entry, and the action as it is stored. */
const textOf = ({ action, actor, subject, detail }: TrailEntry, name = ''): string =>
  [actionText(action), action, actor, subject, name, ...valuesIn(detail)].join('\n')

function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part)
  else if (value !== null) yield String(value)
}
