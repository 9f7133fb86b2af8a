import type { OperatorStore, Transaction } from '../database/store.ts'
import { isOfKind, readTrail, type TrailEntry, type TrailPosition, type TrailQuery } from './trail.ts'
import { actionText } from './wording.ts'

export interface TrailFilter extends Omit<TrailQuery, 'before' | 'limit'> {
  /** Part of the actor, case-insensitive. */
  actor: string
  /** Words that must all occur in an entry, case-insensitive. */
  search: string
  /** Other names for subjects, such as a key's current label, that the search also matches. */
  namesOf?: (tx: Transaction, subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

interface FoundEntries {
  entries: TrailEntry[]
  /** Where to continue, or null if there is nothing older. */
  next: TrailPosition | null
  /** Whether the search stopped before it reached the oldest entry. */
  isCut: boolean
}

interface Extent {
  before: TrailPosition | null
  limit: number
  mostSearched?: number
}

/** Per read, because the thread also serves requests. */
const SLICE_ENTRIES = 500

/** Reads by an index on time or on subject and time, and filters here, so that both engines give the same result. */
export async function* searchSlices(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
  before: TrailPosition | null = null,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ found: TrailEntry[]; searched: number; end: TrailPosition | null }> {
  const passes = testOf(filter)
  // Without a filter, one extra entry shows whether there are more.
  const limit = passes === undefined ? Math.min(most + 1, SLICE_ENTRIES) : SLICE_ENTRIES
  for (let position = before, isDone = false; !isDone; ) {
    const { slice, names } = await store.read(async (tx) => {
      const slice = await readTrail(tx, { ...filter, before: position, limit })
      const subjects = new Set(filter.search === '' ? [] : slice.map(({ subject }) => subject))
      return { slice, names: (await filter.namesOf?.(tx, [...subjects])) ?? new Map() }
    })
    isDone = slice.length < limit
    position = isDone ? null : (slice.at(-1)?.position ?? null)
    const found = passes === undefined ? slice : slice.filter((entry) => passes(entry, names.get(entry.subject)))
    yield { found, searched: slice.length, end: position }
  }
}

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

/** The text that people see, and the stored action. */
const textOf = ({ action, actor, subject, detail }: TrailEntry, name = ''): string =>
  [actionText(action), action, actor, subject, name, ...valuesIn(detail)].join('\n')

function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part)
  else if (value !== null) yield String(value)
}
