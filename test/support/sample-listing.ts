import { KEYS_PER_PAGE, type KeyListing, keyFilters, type ListingRequest } from '../../src/keys/listing.ts'
import type { KeyOverview } from '../../src/keys/overview.ts'
import type { KeysModel } from '../../src/web/keys/list.ts'
import { ago, frame, key, keys } from './sample-models.ts'

const DAY = 86_400_000

/** The list of these keys, in their order. */
export function keysModelOf(
  shown: KeyOverview[],
  view: Partial<ListingRequest> = {},
  listing: Partial<KeyListing> = {},
): KeysModel {
  const counts = Object.fromEntries(
    keyFilters.map((filter) => [filter, shown.filter((one) => isCounted(one, filter)).length]),
  ) as KeyListing['counts']
  const isLeaked = (one: KeyOverview) => Number(one.attention.includes('leaked'))
  const leaksFirst = shown.toSorted((a, b) => isLeaked(b) - isLeaked(a))
  return {
    frame,
    view: { search: '', show: 'all', sort: 'newest', page: 1, ...view },
    listing: {
      keys: leaksFirst.slice(0, KEYS_PER_PAGE),
      page: 1,
      pages: Math.max(1, Math.ceil(shown.length / KEYS_PER_PAGE)),
      counts,
      total: shown.length,
      ...listing,
    },
    usualPermissions: ['workspace:read', 'tasks:read'],
  }
}

const isCounted = ({ state, attention, expiresAt }: KeyOverview, filter: string) =>
  filter === 'all' ||
  (filter === 'never_expires' && expiresAt === null && state.kind === 'live') ||
  (filter === 'attention' && attention.length > 0) ||
  filter === (state.kind === 'expiring' ? 'live' : state.kind) ||
  attention.some((kind) => kind === filter)

export const keysModel: KeysModel = keysModelOf(keys)

/** Labels that are hard to lay out: as long as they may be, in other scripts and directions, without a space. */
const strangeLabels = [
  'דוח לילי של המחסן',
  'تقرير المشتريات الليلي v2 (test)',
  '👩🏽‍💻🚀 Priya’s agent 🤖✨',
  'W'.repeat(100),
  'a very long label that somebody wrote to say exactly what this key is for, where it is used, and by whom',
  '夜間レポート・倉庫ダッシュボード',
  '👨‍👩‍👧‍👦'.repeat(9),
]
export const strangeKeys: KeyOverview[] = strangeLabels.map((label, index) =>
  key(`Strng${index}`, label, {
    createdBy: index % 2 === 0 ? `${'very.long.name.'.repeat(4)}@northwind-wholesale.example` : 'cli',
    state: index === 3 ? { kind: 'paused', at: ago(DAY) } : { kind: 'live' },
    quota: { limit: 1_000_000, windowSeconds: 86_400 },
    attention: index === 4 ? ['unused'] : [],
  }),
)
