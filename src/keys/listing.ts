import type { Transaction } from '../database/store.ts'
import { type AttentionKind, attentionKinds, type JudgedKey, judgeKeys } from './attention.ts'
import { type KeyOverview, type OverviewClock, readOverviews } from './overview.ts'
import type { KeyRecord, KeyUse } from './records.ts'
import { endOf, hasEnded, type KeyState } from './state.ts'

/** What the states of keys are counted by: each key is in one of them. */
export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds] as const
export type KeyFilter = (typeof keyFilters)[number]

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
  /** Why keys need attention, whatever is searched for. */
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

/**
 * One page of a workspace's keys. All keys are read, for their states decide the order and the counts; their history is
 * read of those shown.
 */
export async function readListing(
  tx: Transaction,
  workspaceId: string,
  { search, show, sort, page }: ListingRequest,
  clock: OverviewClock,
): Promise<KeyListing> {
  const { judged, replacements } = await judgeKeys(tx, workspaceId, clock.nowMs)
  const all = judged.toReversed()
  const matching = all.filter(matches(search))
  const counts = Object.fromEntries(
    keyFilters.map((filter) => [filter, matching.filter(isIn(filter)).length]),
  ) as KeyListing['counts']
  const pages = Math.max(1, Math.ceil(counts[show] / KEYS_PER_PAGE))
  const shownPage = Math.min(Math.max(1, page), pages)
  const shown = matching
    .filter(isIn(show))
    .sort((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)) || orders[sort](a.key, b.key))
    .slice((shownPage - 1) * KEYS_PER_PAGE, shownPage * KEYS_PER_PAGE)
  const groups = attentionKinds.map((kind) => ({ kind, listed: all.filter(isIn(kind)) }))
  const few = groups.map(({ listed }) => (listed.length > KEYS_PER_GROUP ? [] : listed))
  const wanted = [...new Set([...shown, ...few.flat()].map(({ key }) => key))]
  const ids = wanted.map(({ id }) => id)
  const overviews = ids.length === 0 ? [] : await readOverviews(tx, { workspaceId, ids }, wanted, replacements, clock)
  const byId = new Map(overviews.map((overview) => [overview.id, overview]))
  const overviewsOf = (some: JudgedKey[]) => some.flatMap(({ key }) => byId.get(key.id) ?? [])
  return {
    keys: overviewsOf(shown),
    ...{ page: shownPage, pages, counts, total: all.length },
    attention: groups
      .map(({ kind, listed }, index) => ({ kind, count: listed.length, keys: overviewsOf(few[index] ?? []) }))
      .filter(({ count }) => count > 0),
  }
}

const groupOf = ({ kind }: KeyState): (typeof keyGroups)[number] => (kind === 'expiring' ? 'live' : kind)

const isIn =
  (filter: KeyFilter) =>
  ({ state, attention }: JudgedKey): boolean => {
    if (filter === 'all') return true
    if (filter === 'attention') return attention.length > 0
    return filter === groupOf(state) || attention.some((kind) => kind === filter)
  }

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The beginning of a key is found with and without `vtr_`, and with the ellipsis that pages show after it. */
function matches(search: string): (listed: JudgedKey) => boolean {
  const wanted = folded(search.trim())
  const start = wanted.replace(/\.{3}$/, '')
  return ({ key: { label, createdBy, prefix } }) =>
    [label, createdBy].some((text) => folded(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some((text) => start !== '' && folded(text).startsWith(start))
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const NEVER = '~'

/** The keys come newest first, and a sort keeps the order of equals. */
const orders: Record<KeySort, (a: KeyRecord & KeyUse, b: KeyRecord & KeyUse) => number> = {
  newest: () => 0,
  used: (a, b) => compare(b.lastUsedAt ?? '', a.lastUsedAt ?? ''),
  expiry: (a, b) => compare(endOf(a) ?? NEVER, endOf(b) ?? NEVER),
  label: (a, b) => collator.compare(a.label, b.label),
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
