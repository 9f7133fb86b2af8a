import { KEYS_PER_PAGE, type KeyListing, keyFilters } from '../../src/keys/listing.ts'
import type { KeyOverview } from '../../src/keys/overview.ts'
import type { KeysModel } from '../../src/web/keys/list.ts'
import { frame, keys } from './sample-models.ts'

export function keysModelOf(shown: KeyOverview[], search = ''): KeysModel {
  const counts = Object.fromEntries(
    keyFilters.map((filter) => [filter, shown.filter((one) => isCounted(one, filter)).length]),
  ) as KeyListing['counts']
  return {
    frame,
    view: { search, show: 'all', page: 1 },
    listing: {
      keys: shown.toSorted((a, b) => Number(b.leak !== null) - Number(a.leak !== null)).slice(0, KEYS_PER_PAGE),
      page: 1,
      pages: Math.max(1, Math.ceil(shown.length / KEYS_PER_PAGE)),
      counts,
      total: keys.length,
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
