import type { OperatorStore } from '../database/store.ts'
import { foldForSearch } from '../lib/fold-case.ts'
import type { LocalTime } from '../lib/local-dates.ts'
import { type AttentionKind, attentionKinds, type EvaluatedKey, evaluateInSlices, urgencyOf } from './evaluate.ts'
import { type KeyOverview, readOverviews } from './overview.ts'
import { endOf, hasEnded } from './state.ts'

export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds, 'never_expires'] as const
export type KeyFilter = (typeof keyFilters)[number]

export const keySorts = ['newest', 'used', 'expiry', 'label', 'urgency'] as const
export type KeySort = (typeof keySorts)[number]
export const usualSort = (show: string): KeySort => (show === 'attention' ? 'urgency' : 'newest')

export interface ListingRequest {
  /** Part of a label, creator or client's host, or the start of the key. Empty matches all. */
  search: string
  show: KeyFilter
  sort: KeySort
  page: number
}

export interface KeyListing {
  /** On every page: the keys that may have leaked, up to MAX_PINNED. Others follow on the first pages. */
  pinned: KeyOverview[]
  /** The rest. In every order, leaked keys come first and ended ones last. */
  keys: KeyOverview[]
  /** The last page, if a later one was requested. */
  page: number
  pages: number
  counts: Record<KeyFilter, number>
  total: number
  /** Counted over all keys, regardless of search and filters. Most urgent first, without empty ones. */
  attention: { kind: AttentionKind; count: number }[]
}

/** Includes the pinned ones. Keeps a page under 60 KB, whatever its labels. */
export const KEYS_PER_PAGE = 20
export const MAX_PINNED = 10
/** Orders other than by creation are sorted in memory, so only this many keys can be paged through. */
export const MAX_SORTED = 1000

function filtersOf({ state, attention, neverExpires }: EvaluatedKey): KeyFilter[] {
  const filters: KeyFilter[] = ['all', state.kind === 'expiring' ? 'live' : state.kind]
  if (neverExpires) filters.push('never_expires')
  return attention.length === 0 ? filters : [...filters, 'attention', ...attention]
}

/** A key that changes between two slices may count in its old state. */
export async function readListing(
  store: Pick<OperatorStore, 'read'>,
  workspaceId: string,
  { search, show, sort, page }: ListingRequest,
  time: LocalTime,
): Promise<KeyListing> {
  const matches = search.trim() === '' ? undefined : matcher(search)
  const reach = sort === 'newest' ? Number.POSITIVE_INFINITY : MAX_SORTED
  const mostShown = Math.min(reach, MAX_PINNED + Math.max(1, page) * KEYS_PER_PAGE)
  const counts = Object.fromEntries(keyFilters.map((filter) => [filter, 0])) as KeyListing['counts']
  const attention = new Map(attentionKinds.map((kind) => [kind, 0]))
  let total = 0
  const groups: Record<ReturnType<typeof groupOf>, SortedKey[]> = { leaked: [], open: [], ended: [] }
  for await (const keys of evaluateInSlices(store, { workspaceId }, time.nowMs)) {
    total += keys.length
    for (const key of keys) for (const kind of key.attention) attention.set(kind, (attention.get(kind) ?? 0) + 1)
    for (const key of matches === undefined ? keys : keys.filter(matches)) {
      const filters = filtersOf(key)
      for (const filter of filters) counts[filter]++
      if (filters.includes(show)) groups[groupOf(key)].push(sortedPart(key))
    }
    for (const group of Object.values(groups)) {
      // Keys arrive newest first, and the sort is stable. Without a sort, any number of keys may be held.
      if (sort !== 'newest') group.sort(orders[sort])
      group.splice(mostShown)
    }
  }

  const first = Object.values(groups).flat().slice(0, mostShown)
  const leaks = groups.leaked.slice(0, MAX_PINNED)
  const others = KEYS_PER_PAGE - leaks.length
  const pages = Math.max(1, Math.ceil((Math.min(reach, counts[show]) - leaks.length) / others))
  const shownPage = Math.min(Math.max(1, page), pages)
  const start = leaks.length + (shownPage - 1) * others
  const shown = [...leaks, ...first.slice(start, start + others)].map(({ id }) => id)
  const overviews = await store.read((tx) => readOverviews(tx, workspaceId, shown, time))
  const byId = new Map(overviews.map((overview) => [overview.id, overview]))
  const keys = shown.flatMap((id) => byId.get(id) ?? [])
  return {
    pinned: keys.slice(0, leaks.length),
    keys: keys.slice(leaks.length),
    page: shownPage,
    pages,
    counts,
    total,
    attention: [...attention].filter(([, count]) => count > 0).map(([kind, count]) => ({ kind, count })),
  }
}

/** Matches the start of a key with or without `vtr_`, and with the ellipsis that pages show after it. */
function matcher(search: string): (key: EvaluatedKey) => boolean {
  const wanted = foldForSearch(search.trim())
  const start = wanted.replace(/\.{3}$/, '')
  return ({ label, createdBy, client, prefix }) =>
    [label, createdBy, client?.host ?? ''].some((text) => foldForSearch(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some(
      (text) => start !== '' && foldForSearch(text).startsWith(start),
    )
}

function groupOf(key: EvaluatedKey) {
  if (key.attention[0] === 'leaked') return 'leaked'
  return hasEnded(key) ? 'ended' : 'open'
}

type SortedKey = ReturnType<typeof sortedPart>

/** The fields that sorting compares. Far down a long list, this is held in memory for every key. */
function sortedPart({ id, label, attention, lastUsedAt, expiresAt, retiresAt }: EvaluatedKey) {
  return { id, label, attention, lastUsedAt, expiresAt, retiresAt }
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const NEVER = '~'

const orders: Record<Exclude<KeySort, 'newest'>, (a: SortedKey, b: SortedKey) => number> = {
  used: (a, b) => compare(b.lastUsedAt ?? '', a.lastUsedAt ?? ''),
  expiry: (a, b) => compare(endOf(a) ?? NEVER, endOf(b) ?? NEVER),
  label: (a, b) => collator.compare(a.label, b.label),
  urgency: (a, b) => urgency(a) - urgency(b) || orders.expiry(a, b),
}

const urgency = ({ attention: [first] }: SortedKey): number =>
  first === undefined ? attentionKinds.length : urgencyOf[first]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
