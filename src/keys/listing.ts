import type { OperatorStore } from '../database/store.ts'
import { type AttentionKind, attentionKinds, endOfSlice, evaluate, type KeyColumn, type KeySlice } from './evaluate.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import { endOf } from './state.ts'

export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds] as const
export type KeyFilter = (typeof keyFilters)[number]

export const keySorts = ['newest', 'used', 'expiry', 'label'] as const
export type KeySort = (typeof keySorts)[number]

export interface ListingRequest {
  /** Part of a label, creator or client's host, or the start of the key. Empty matches all. */
  search: string
  show: KeyFilter
  sort: KeySort
  page: number
}

export interface KeyListing {
  /** Ended keys come last in every order. */
  keys: KeyOverview[]
  /** The last page, if a later one was requested. */
  page: number
  pages: number
  counts: Record<KeyFilter, number>
  total: number
  /** Only on the first page of all keys. */
  attention: AttentionGroup[]
}

export interface AttentionGroup {
  kind: AttentionKind
  count: number
  /** Empty if there are too many to list here. */
  keys: KeyOverview[]
}

/** Keeps a page under 60 KB, whatever its labels. */
export const KEYS_PER_PAGE = 20
const KEYS_PER_GROUP = 3
/** Orders other than by creation are sorted in memory, so only this many keys can be paged through. */
export const MAX_SORTED = 1000

type EvaluatedKey = Awaited<ReturnType<typeof evaluate>>[number]

function filtersOf({ state, attention }: EvaluatedKey): KeyFilter[] {
  const filters: KeyFilter[] = ['all', state === 'expiring' ? 'live' : state]
  return attention.length === 0 ? filters : [...filters, 'attention', ...attention]
}

/** Reads slice by slice, so that other requests do not wait. A key that changes meanwhile may count in its old state. */
export async function readListing(
  store: Pick<OperatorStore, 'read'>,
  workspaceId: string,
  { search, show, sort, page }: ListingRequest,
  clock: OverviewClock,
): Promise<KeyListing> {
  const matches = search.trim() === '' ? undefined : matcher(search)
  const columns = [...new Set([...(matches === undefined ? [] : SEARCHED), ...orders[sort].columns])]
  const reach = sort === 'newest' ? Number.POSITIVE_INFINITY : MAX_SORTED
  const mostShown = Math.min(reach, Math.max(1, page) * KEYS_PER_PAGE)
  const counts = Object.fromEntries(keyFilters.map((filter) => [filter, 0])) as KeyListing['counts']
  const idsByKind = new Map(attentionKinds.map((kind) => [kind, [] as string[]]))
  let total = 0
  let first: EvaluatedKey[] = []
  const slice: KeySlice = { workspaceId }
  do {
    const { keys, end } = await store.read(async (tx) => ({
      keys: await evaluate(tx, slice, clock.nowMs, columns),
      end: await endOfSlice(tx, slice),
    }))
    slice.after = end
    total += keys.length
    for (const key of matches === undefined ? keys : keys.filter(matches)) {
      const filters = filtersOf(key)
      for (const filter of filters) counts[filter]++
      if (filters.includes(show)) first.push(key)
      for (const kind of key.attention) idsByKind.get(kind)?.push(key.id)
    }
    for (const ids of idsByKind.values()) ids.splice(KEYS_PER_GROUP)
    first = first.sort(orderBy(sort)).slice(0, mostShown)
  } while (slice.after !== undefined)

  const pages = Math.max(1, Math.ceil(Math.min(reach, counts[show]) / KEYS_PER_PAGE))
  const shownPage = Math.min(Math.max(1, page), pages)
  const start = (shownPage - 1) * KEYS_PER_PAGE
  const shown = first.slice(start, start + KEYS_PER_PAGE).map(({ id }) => id)
  const isFirst = search === '' && show === 'all' && shownPage === 1
  const kinds = attentionKinds.filter((kind) => isFirst && counts[kind] > 0)
  const groups = kinds.map((kind) => ({ kind, ids: counts[kind] > KEYS_PER_GROUP ? [] : (idsByKind.get(kind) ?? []) }))
  const ids = new Set([...shown, ...groups.flatMap((group) => group.ids)])
  const overviews = await store.read((tx) => readOverviews(tx, workspaceId, [...ids], clock))
  const byId = new Map(overviews.map((overview) => [overview.id, overview]))
  const overviewsOf = (some: string[]) => some.flatMap((id) => byId.get(id) ?? [])
  return {
    keys: overviewsOf(shown),
    ...{ page: shownPage, pages, counts, total },
    attention: groups.map((group) => ({ kind: group.kind, count: counts[group.kind], keys: overviewsOf(group.ids) })),
  }
}

const SEARCHED: KeyColumn[] = ['label', 'createdBy', 'clientHost', 'prefix']

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Matches the start of a key with or without `vtr_`, and with the ellipsis that pages show after it. */
function matcher(search: string): (key: EvaluatedKey) => boolean {
  const wanted = folded(search.trim())
  const start = wanted.replace(/\.{3}$/, '')
  return ({ label = '', createdBy = '', clientHost, prefix = '' }) =>
    [label, createdBy, clientHost ?? ''].some((text) => folded(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some((text) => start !== '' && folded(text).startsWith(start))
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const NEVER = '~'

interface Order {
  columns: KeyColumn[]
  compare(a: EvaluatedKey, b: EvaluatedKey): number
}

const orders: Record<KeySort, Order> = {
  newest: { columns: [], compare: () => 0 },
  used: { columns: ['lastUsedAt'], compare: (a, b) => compare(b.lastUsedAt ?? '', a.lastUsedAt ?? '') },
  expiry: { columns: ['expiresAt', 'retiresAt'], compare: (a, b) => compare(lastInstant(a), lastInstant(b)) },
  label: { columns: ['label'], compare: (a, b) => collator.compare(a.label ?? '', b.label ?? '') },
}

const lastInstant = ({ expiresAt = null, retiresAt = null }: EvaluatedKey): string =>
  endOf({ expiresAt, retiresAt }) ?? NEVER

/** Keys arrive newest first, and the sort is stable. */
const orderBy = (sort: KeySort) => (a: EvaluatedKey, b: EvaluatedKey) =>
  Number(isOver(a)) - Number(isOver(b)) || orders[sort].compare(a, b)

const isOver = ({ state }: EvaluatedKey): boolean => state === 'expired' || state === 'revoked'

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
