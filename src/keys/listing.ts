import type { OperatorStore, Transaction } from '../database/store.ts'
import { type AttentionKind, attentionKinds } from './attention.ts'
import {
  countSlice,
  endOfSlice,
  idsIn,
  type KeyCounts,
  type KeyFilter,
  type KeyPosition,
  type KeySlice,
  keyFilters,
  type SearchedKey,
  type SortableKey,
  searchedIn,
  sortableIn,
} from './judged.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import { endOf } from './state.ts'

export const keySorts = ['newest', 'used', 'expiry', 'label'] as const
export type KeySort = (typeof keySorts)[number]

export interface ListingRequest {
  /** Part of a label or of who created it, or the beginning of the key; empty: all. */
  search: string
  show: KeyFilter
  sort: KeySort
  /** From 1. */
  page: number
}

export interface KeyListing {
  /** Those of the page. Keys that have ended come last, whatever the order. */
  keys: KeyOverview[]
  /** The page that they are on: the last, if one after it was asked for. */
  page: number
  pages: number
  /** How many keys match the search, by each filter. */
  counts: KeyCounts
  /** How many keys the workspace has. */
  total: number
  /** Why keys need attention, on the first page of all keys. */
  attention: AttentionGroup[]
}

export interface AttentionGroup {
  kind: AttentionKind
  count: number
  /** All of them if they are few, else none. */
  keys: KeyOverview[]
}

/** So that a page stays under 60 KB, whatever its labels. */
export const KEYS_PER_PAGE = 20
/** If there are more, only their number is told: they are a list of their own. */
const KEYS_PER_GROUP = 3
/** Of another order than that of creation the first so many can be paged through: they are sorted in memory. */
export const MAX_SORTED = 1000

/** A slice of the keys, newest first, and how many of those that match the search are in it. */
interface CountedSlice {
  after: KeyPosition | undefined
  counts: KeyCounts
}

/**
 * One page of a workspace's keys. They are judged in slices, each in a read of its own, so that no request beside it waits for all
 * of them; a key that is changed meanwhile may be counted as it was or as it is.
 */
export async function readListing(
  store: Pick<OperatorStore, 'read'>,
  workspaceId: string,
  { search, show, sort, page }: ListingRequest,
  clock: OverviewClock,
): Promise<KeyListing> {
  const { nowMs } = clock
  const matches = search.trim() === '' ? undefined : matcher(search)
  const mostSorted = Math.min(MAX_SORTED, Math.max(1, page) * KEYS_PER_PAGE)
  const slices: CountedSlice[] = []
  let [total, sorted]: [number, SortableKey[]] = [0, []]
  for (let after: KeyPosition | undefined, isDone = false; !isDone; ) {
    await store.read(async (tx) => {
      const { slice, size, next } = await sliceAfter(tx, workspaceId, after, matches)
      const counts = await countSlice(tx, slice, nowMs)
      slices.push({ after, counts })
      total += size ?? counts.all
      if (sort !== 'newest' && counts[show] > 0)
        sorted = [...sorted, ...(await sortableIn(tx, slice, show, nowMs, { byUse: sort === 'used' }))]
          .sort(orderBy(sort))
          .slice(0, mostSorted)
      after = next
      isDone = next === undefined
    })
  }
  const sum = (of: (counts: KeyCounts) => number) => slices.reduce((all, { counts }) => all + of(counts), 0)
  const counts = Object.fromEntries(keyFilters.map((filter) => [filter, sum((each) => each[filter])])) as KeyCounts

  /** Of the keys that pass a filter, newest first, some from a place on: only slices that have them are read again. */
  const idsFrom = async (filter: KeyFilter, part: Part, place: number, most: number): Promise<string[]> => {
    const ids: string[] = []
    let before = place
    for (const { after, counts } of slices) {
      const count = countOf(counts, filter, part)
      if (before < count && ids.length < most)
        await store.read(async (tx) => {
          const { slice } = await sliceAfter(tx, workspaceId, after, matches)
          ids.push(...(await idsIn(tx, slice, [filter, part], nowMs, { offset: before, limit: most - ids.length })))
        })
      before = Math.max(0, before - count)
    }
    return ids
  }

  const reachable = sort === 'newest' ? counts[show] : Math.min(MAX_SORTED, counts[show])
  const pages = Math.max(1, Math.ceil(reachable / KEYS_PER_PAGE))
  const shownPage = Math.min(Math.max(1, page), pages)
  const start = (shownPage - 1) * KEYS_PER_PAGE
  let shown = sorted.slice(start, start + KEYS_PER_PAGE).map(({ id }) => id)
  if (sort === 'newest') {
    shown = await idsFrom(show, 'open', start, KEYS_PER_PAGE)
    const endedBefore = Math.max(0, start - sum((each) => countOf(each, show, 'open')))
    shown.push(...(await idsFrom(show, 'ended', endedBefore, KEYS_PER_PAGE - shown.length)))
  }
  const isFirst = search === '' && show === 'all' && shownPage === 1
  const groups: { kind: AttentionKind; ids: string[] }[] = []
  for (const kind of attentionKinds)
    if (isFirst && counts[kind] > 0)
      groups.push({ kind, ids: counts[kind] > KEYS_PER_GROUP ? [] : await idsFrom(kind, 'all', 0, KEYS_PER_GROUP) })
  const ids = [...new Set([...shown, ...groups.flatMap((group) => group.ids)])]
  const overviews = await store.read((tx) => readOverviews(tx, workspaceId, ids, clock))
  const byId = new Map(overviews.map((overview) => [overview.id, overview]))
  const overviewsOf = (some: string[]) => some.flatMap((id) => byId.get(id) ?? [])
  return {
    keys: overviewsOf(shown),
    ...{ page: shownPage, pages, counts, total },
    attention: groups.map((group) => ({ kind: group.kind, count: counts[group.kind], keys: overviewsOf(group.ids) })),
  }
}

/** Keys that can be used, now or once they are resumed; those that have ended; or all. */
type Part = 'open' | 'ended' | 'all'

const countOf = (counts: KeyCounts, filter: KeyFilter, part: Part): number => {
  if (part === 'all') return counts[filter]
  const ended = filter === 'all' ? counts.expired + counts.revoked : endedFilters.includes(filter) ? counts[filter] : 0
  return part === 'ended' ? ended : counts[filter] - ended
}

const endedFilters: readonly KeyFilter[] = ['expired', 'revoked']

interface NextSlice {
  slice: KeySlice
  /** How many keys it was found among; undefined if it is all of them. */
  size?: number
  /** Where the next begins; undefined if there is none. */
  next: KeyPosition | undefined
}

/** The keys after a position, or those of them that match. */
async function sliceAfter(
  tx: Transaction,
  workspaceId: string,
  after: KeyPosition | undefined,
  matches: ((key: SearchedKey) => boolean) | undefined,
): Promise<NextSlice> {
  const slice = { workspaceId, after }
  const next = await endOfSlice(tx, slice)
  if (matches === undefined) return { slice, next }
  const keys = await searchedIn(tx, slice)
  return { slice: { workspaceId, ids: keys.filter(matches).map(({ id }) => id) }, size: keys.length, next }
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The beginning of a key is found with and without `vtr_`, and with the ellipsis that pages show after it. */
function matcher(search: string): (key: SearchedKey) => boolean {
  const wanted = folded(search.trim())
  const start = wanted.replace(/\.{3}$/, '')
  return ({ label, createdBy, prefix }) =>
    [label, createdBy].some((text) => folded(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some((text) => start !== '' && folded(text).startsWith(start))
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const NEVER = '~'

const orders: Record<Exclude<KeySort, 'newest'>, (a: SortableKey, b: SortableKey) => number> = {
  used: (a, b) => compare(b.lastUsedAt ?? '', a.lastUsedAt ?? ''),
  expiry: (a, b) => compare(endOf(a) ?? NEVER, endOf(b) ?? NEVER),
  label: (a, b) => collator.compare(a.label, b.label),
}

/** The keys come newest first, and a sort keeps the order of equals. */
const orderBy = (sort: Exclude<KeySort, 'newest'>) => (a: SortableKey, b: SortableKey) =>
  a.hasEnded - b.hasEnded || orders[sort](a, b)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
