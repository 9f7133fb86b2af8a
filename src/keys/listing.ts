import type { OperatorStore } from '../database/store.ts'
import { foldForSearch } from '../lib/fold-case.ts'
import type { LocalTime } from '../lib/local-dates.ts'
import { attentionKinds, type EvaluatedKey, evaluate, urgencyOf } from './evaluate.ts'
import { type KeyOverview, readOverviews } from './overview.ts'
import { lifeSql, openSql, readKeys } from './records.ts'

export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds, 'never_expires'] as const
export type KeyFilter = (typeof keyFilters)[number]

export interface ListingRequest {
  /** Part of a label, creator or client's host, or the start of the key. Empty matches all. */
  search: string
  show: KeyFilter
  page: number
}

export interface KeyListing {
  /** The newest first, but leaked ones before all others, and ended ones last. Those that need attention: the most urgent first. */
  keys: KeyOverview[]
  /** The last page, if a later one was requested. */
  page: number
  pages: number
  counts: Record<KeyFilter, number>
  total: number
}

/** Keeps a page under 60 KB, whatever its labels. */
export const KEYS_PER_PAGE = 20

function filtersOf({ state, attention, neverExpires }: EvaluatedKey): KeyFilter[] {
  const filters: KeyFilter[] = ['all', state.kind === 'expiring' ? 'live' : state.kind]
  if (neverExpires) filters.push('never_expires')
  return attention.length === 0 ? filters : [...filters, 'attention', ...attention]
}

export async function readListing(
  store: Pick<OperatorStore, 'read'>,
  workspaceId: string,
  { search, show, page }: ListingRequest,
  time: LocalTime,
): Promise<KeyListing> {
  return store.read(async (tx) => {
    const newestFirst = 'ORDER BY created_at DESC, id DESC'
    const isOpen = openSql(time.nowMs)
    const open = await evaluate(
      tx,
      await readKeys(tx, `WHERE workspace_id = ? AND ${isOpen} ${newestFirst}`, workspaceId),
      time.nowMs,
    )
    const ended = await tx.all<EndedKey>(
      `SELECT id, label, prefix, created_by AS "createdBy", client_host AS "clientHost", ${lifeSql(time.nowMs)} AS life
       FROM api_keys k WHERE workspace_id = ? AND NOT ${isOpen} ${newestFirst}`,
      workspaceId,
    )
    const matches = matcher(search)
    const foundOpen = open.filter((key) => matches({ ...key, clientHost: key.client?.host ?? null }))
    const foundEnded = ended.filter(matches)

    const counts = Object.fromEntries(keyFilters.map((filter) => [filter, 0])) as KeyListing['counts']
    for (const key of foundOpen) for (const filter of filtersOf(key)) counts[filter]++
    for (const { life } of foundEnded) for (const filter of ['all', life] as const) counts[filter]++

    const chosen = foundOpen.filter((key) => filtersOf(key).includes(show))
    const isUrgent = show === 'attention'
    chosen.sort((a, b) => (isUrgent ? urgency(a) - urgency(b) : Number(isLeaked(b)) - Number(isLeaked(a))))
    const chosenEnded = foundEnded.filter(({ life }) => show === 'all' || show === life)
    const ids = [...chosen, ...chosenEnded].map(({ id }) => id)

    const pages = Math.max(1, Math.ceil(ids.length / KEYS_PER_PAGE))
    const shownPage = Math.min(Math.max(1, page), pages)
    const shown = ids.slice((shownPage - 1) * KEYS_PER_PAGE, shownPage * KEYS_PER_PAGE)
    const overviews = new Map((await readOverviews(tx, workspaceId, shown, time)).map((key) => [key.id, key]))
    return {
      keys: shown.flatMap((id) => overviews.get(id) ?? []),
      page: shownPage,
      pages,
      counts,
      total: open.length + ended.length,
    }
  })
}

interface SearchedKey {
  label: string
  prefix: string
  createdBy: string
  clientHost: string | null
}

interface EndedKey extends SearchedKey {
  id: string
  life: 'expired' | 'revoked'
}

/** Matches the start of a key with or without `vtr_`, and with the ellipsis that pages show after it. */
function matcher(search: string): (key: SearchedKey) => boolean {
  const wanted = foldForSearch(search.trim())
  const start = wanted.replace(/\.{3}$/, '')
  return ({ label, createdBy, clientHost, prefix }) =>
    [label, createdBy, clientHost ?? ''].some((text) => foldForSearch(text).includes(wanted)) ||
    [prefix, prefix.slice(prefix.indexOf('_') + 1)].some(
      (text) => start !== '' && foldForSearch(text).startsWith(start),
    )
}

const isLeaked = ({ attention: [first] }: EvaluatedKey) => first === 'leaked'

const urgency = ({ attention: [first] }: EvaluatedKey): number =>
  first === undefined ? attentionKinds.length : urgencyOf[first]
