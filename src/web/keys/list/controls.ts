import {
  KEYS_PER_PAGE,
  type KeyFilter,
  type KeyListing,
  type KeySort,
  keyGroups,
  keySorts,
  type ListingRequest,
  MAX_SORTED,
} from '../../../keys/listing.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../layout/field.ts'
import { icon } from '../../layout/icon.ts'
import type { PageFrame } from '../../layout/page.ts'
import { pager } from '../../layout/table.ts'
import { paths } from '../../paths.ts'

const pathOf = ({ workspace }: PageFrame, { search, show, sort, page }: ListingRequest): string =>
  paths.keys(workspace.slug, { q: search, show, sort, page })

const sortText: Record<KeySort, string> = {
  newest: 'Newest first',
  used: 'Last used first',
  expiry: 'Expiring first',
  label: 'By label',
}

/** Sent with POST, so that a pasted key is in no address and no log. */
export function searchBar(view: ListingRequest, frame: PageFrame): Html {
  const label = 'Search by label, prefix, creator or a whole key'
  const kept = (['show', 'sort'] as const).map(
    (name) => html`<input type="hidden" name="${name}" value="${view[name]}">`,
  )
  return html`<div class="toolbar"><form class="search" role="search" method="post" action="${paths.searchKeys(frame.workspace.slug)}">${csrfField(frame)}${kept}
<label class="visually-hidden" for="q">${label}</label>
<input id="q" name="q" type="search" value="${view.search}" placeholder="Label, prefix, creator or whole key" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" dir="auto">
<button class="button">${icon('search')}Search</button>${view.search !== '' && html`<a class="quiet" href="${pathOf(frame, { ...view, search: '', page: 1 })}">Show all</a>`}</form>
<details class="menu sort" data-closes><summary class="button"><span class="visually-hidden">Sort: </span>${sortText[view.sort]}</summary><ul>${keySorts.map(
    (sort) =>
      html`<li><a href="${pathOf(frame, { ...view, sort, page: 1 })}"${sort === view.sort && html` aria-current="true"`}>${sortText[sort]}</a></li>`,
  )}</ul></details></div>`
}

const filterText: Record<KeyFilter, string> = {
  all: 'All',
  live: 'Live',
  attention: 'Needs attention',
  paused: 'Paused',
  rotating: 'Rotating',
  expired: 'Expired',
  revoked: 'Revoked',
  leaked: 'May have leaked',
  expiring: 'Expiring',
  unused: 'Unused',
  never_expires: 'Never expires',
  rotation_unfinished: 'Rotation unfinished',
}

/** Each with its count. Those without a key are left out, and the reasons for attention are there only when asked for. */
export function filters(view: ListingRequest, counts: KeyListing['counts'], frame: PageFrame): Html {
  const usual: KeyFilter[] = ['all', 'live', 'attention', ...keyGroups.filter((group) => group !== 'live')]
  const shown = (usual.includes(view.show) ? usual : [...usual, view.show]).filter(
    (filter) => counts[filter] > 0 || filter === 'all' || filter === view.show,
  )
  return html`<nav class="chips" aria-label="Filter by state"><ul>${shown.map(
    (show) =>
      html`<li><a href="${pathOf(frame, { ...view, show, page: 1 })}"${show === view.show && html` aria-current="true"`}>${filterText[show]} <span class="count">${formatCount(counts[show])}</span></a></li>`,
  )}</ul></nav>`
}

export function keysPager(view: ListingRequest, { page, pages, counts }: KeyListing, frame: PageFrame): Part {
  const total = counts[view.show]
  const cut =
    view.sort !== 'newest' &&
    total > MAX_SORTED &&
    html`<p class="hint">In this order, only the first ${formatCount(MAX_SORTED)} keys are shown. To reach the others, search, filter, or sort by newest first.</p>`
  const href = (to: number) => pathOf(frame, { ...view, page: to })
  return pages > 1 && html`${cut}${pager({ page, pages, perPage: KEYS_PER_PAGE, total, href })}`
}
