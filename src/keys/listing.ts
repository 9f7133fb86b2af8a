import type { OperatorStore } from '../database/store.ts'
import { type AttentionKind, attentionKinds } from './attention.ts'
import { filtersOf, type JudgedKey, judgeKeys, type KeyFilter, keyFilters } from './judged.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import { type KeyPosition, type KeyRecord, type KeyUse, readKeySlice } from './records.ts'
import { endOf, hasEnded } from './state.ts'

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
  counts: Record<KeyFilter, number>
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
/** If there are more, only their number is shown: they are a list of their own. */
const KEYS_PER_GROUP = 3
/** Of another order than that of creation the first so many can be paged through: they are sorted in memory. */
export const MAX_SORTED = 1000

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
  const wantedPage = Math.max(1, page)
  const mostSorted = Math.min(wantedPage * KEYS_PER_PAGE, sort === 'newest' ? Number.POSITIVE_INFINITY : MAX_SORTED)
  const counts = Object.fromEntries(keyFilters.map((filter) => [filter, 0])) as KeyListing['counts']
  const groups = Object.fromEntries(attentionKinds.map((kind) => [kind, []])) as unknown as Record<
    AttentionKind,
    string[]
  >
  let [total, sorted]: [number, SortableKey[]] = [0, []]
  for await (const { size, found } of searchSlices(store, workspaceId, search, clock.nowMs)) {
    total += size
    for (const key of found) {
      for (const filter of filtersOf(key)) counts[filter]++
      for (const kind of key.attention) if (counts[kind] <= KEYS_PER_GROUP) groups[kind].push(key.id)
    }
    const shown = found.filter((key) => filtersOf(key).includes(show)).map(toSortable)
    sorted = [...sorted, ...shown].sort(orderBy(sort)).slice(0, mostSorted)
  }
  const reachable = sort === 'newest' ? counts[show] : Math.min(MAX_SORTED, counts[show])
  const pages = Math.max(1, Math.ceil(reachable / KEYS_PER_PAGE))
  const shownPage = Math.min(wantedPage, pages)
  const start = (shownPage - 1) * KEYS_PER_PAGE
  const shown = sorted.slice(start, start + KEYS_PER_PAGE).map(({ id }) => id)
  const isFirst = search === '' && show === 'all' && shownPage === 1
  const kinds = attentionKinds.filter((kind) => isFirst && counts[kind] > 0)
  const namedOf = (kind: AttentionKind) => (counts[kind] > KEYS_PER_GROUP ? [] : groups[kind])
  const ids = [...new Set([...shown, ...kinds.flatMap(namedOf)])]
  const overviews = await store.read((tx) => readOverviews(tx, workspaceId, ids, clock))
  const byId = new Map(overviews.map((overview) => [overview.id, overview]))
  const overviewsOf = (some: string[]) => some.flatMap((id) => byId.get(id) ?? [])
  return {
    keys: overviewsOf(shown),
    ...{ page: shownPage, pages, counts, total },
    attention: kinds.map((kind) => ({ kind, count: counts[kind], keys: overviewsOf(namedOf(kind)) })),
  }
}

/** How many keys each slice has, and those of them that match the search; the newest first. */
async function* searchSlices(
  store: Pick<OperatorStore, 'read'>,
  workspaceId: string,
  search: string,
  nowMs: number,
): AsyncGenerator<{ size: number; found: JudgedKey[] }> {
  const matches = matcher(search)
  let after: KeyPosition | undefined
  do {
    const { size, found, end } = await store.read(async (tx) => {
      const { keys, end } = await readKeySlice(tx, workspaceId, after, 'newest first')
      return { size: keys.length, found: await judgeKeys(tx, workspaceId, keys.filter(matches), nowMs), end }
    })
    yield { size, found }
    after = end
  } while (after !== undefined)
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The beginning of a key is found with and without `vtr_`, and with the ellipsis that pages show after it. */
function matcher(search: string): (key: KeyRecord) => boolean {
  const wanted = folded(search.trim())
  if (wanted === '') return () => true
  const start = wanted.replace(/\.{3}$/, '')
  return ({ label, createdBy, prefix }) =>
    [label, createdBy].some((text) => folded(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some((text) => start !== '' && folded(text).startsWith(start))
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const NEVER = '~'

/** What keys are sorted by: all of a page that is far behind are in memory. */
type SortableKey = Pick<KeyRecord, 'id' | 'label' | 'expiresAt' | 'retiresAt'> & KeyUse & { hasEnded: number }

const toSortable = (key: JudgedKey): SortableKey => {
  const { id, label, expiresAt, retiresAt, lastUsedAt } = key
  return { id, label, expiresAt, retiresAt, lastUsedAt, hasEnded: Number(hasEnded(key)) }
}

const orders: Record<KeySort, (a: SortableKey, b: SortableKey) => number> = {
  newest: () => 0,
  used: (a, b) => compare(b.lastUsedAt ?? '', a.lastUsedAt ?? ''),
  expiry: (a, b) => compare(endOf(a) ?? NEVER, endOf(b) ?? NEVER),
  label: (a, b) => collator.compare(a.label, b.label),
}

/** The keys come newest first, and a sort keeps the order of equals. */
const orderBy = (sort: KeySort) => (a: SortableKey, b: SortableKey) => a.hasEnded - b.hasEnded || orders[sort](a, b)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
