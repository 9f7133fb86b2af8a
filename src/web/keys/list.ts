import { attentionKinds } from '../../keys/evaluate.ts'
import {
  KEYS_PER_PAGE,
  type KeyFilter,
  type KeyListing,
  keyFilters,
  keyGroups,
  type ListingRequest,
  readListing,
} from '../../keys/listing.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { hasEnded } from '../../keys/state.ts'
import { formatCount } from '../../lib/format-count.ts'
import { clip } from '../../lib/plain-text.ts'
import { membersOf, type Role } from '../../members/records.ts'
import { isManager, managersAmong } from '../../members/roles.ts'
import { defaultPermissions } from '../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { pageNumberIn, searchTextIn } from '../find.ts'
import { breakable, type Html, html, inQuotes, isolated, type Part } from '../html.ts'
import { csrfField } from '../layout/field.ts'
import { icon } from '../layout/icon.ts'
import { type PageFrame, page, peopleToAsk } from '../layout/page.ts'
import { type DataRow, dataTable, pager } from '../layout/table.ts'
import { relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { attentionNote } from './attention.ts'
import { keyLimits, keyMark, revokeWord, stateDetail, statePill, stateText } from './key-parts.ts'
import { sparkline, totalUse } from './use-charts.ts'

export const listKeys: WorkspaceHandler = async (context) => {
  if (!isManager(context.workspace)) return showManagers(context)
  const { request, store, workspace, frame, resources } = context
  const view = viewOf(request.query)
  const listing = await readListing(store, workspace.workspaceId, view, frame)
  const usualPermissions = defaultPermissions(resources)
  return htmlResponse(200, keysPage({ frame, view, listing, usualPermissions }))
}

/** Unknown values are ignored: a URL may be old, or typed by hand. */
export function viewOf(query: URLSearchParams): ListingRequest {
  const show = keyFilters.find((filter) => filter === query.get('show')) ?? 'all'
  return { search: searchTextIn(query), show, page: pageNumberIn(query) }
}

export async function showManagers({ store, workspace, frame }: WorkspaceContext, status = 200) {
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  return htmlResponse(status, askForKeyPage(frame, managersAmong(members)))
}

export function askForKeyPage(frame: PageFrame, managers: readonly { email: string; role: Role }[]): string {
  const body = html`<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot create keys in ${isolated(frame.workspace.name)}</h2>
<p>Owners and admins create, monitor and revoke keys. If you need one, ask them, and say what it is for and how long you need it:</p>
${peopleToAsk(managers)}</section>`
  return page(frame, { title: 'API keys', lead: KEYS_LEAD, body })
}

export interface KeysModel {
  frame: PageFrame
  view: ListingRequest
  listing: KeyListing
  /** A key without one of them is limited. */
  usualPermissions: readonly string[]
}

const CREATOR_SHOWN = 24

const KEYS_LEAD = 'Keys let scripts and AI agents read this workspace. They cannot change anything.'

export function keysPage(model: KeysModel): string {
  const { frame, listing } = model
  const { slug } = frame.workspace
  const isEmpty = listing.total === 0
  const body = isEmpty ? emptyState(slug) : list(model)
  return page(frame, { title: 'API keys', lead: KEYS_LEAD, actions: !isEmpty && connectButton(slug), body })
}

/** Leads back to this list. */
export const viewFields = ({ search, show, page }: ListingRequest): Html[] =>
  Object.entries({ q: search, show, page }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )

function list(model: KeysModel): Part {
  const { view, listing, frame } = model
  return [
    html`<div class="filter-bar">${filters(view, listing.counts, frame)}<div class="find">${searchForm(view, frame)}</div></div>`,
    listing.keys.length === 0 ? noMatches(view) : keysTable(listing.keys, model),
    keysPager(view, listing, frame),
  ]
}

function keysTable(keys: readonly KeyOverview[], model: KeysModel): Html {
  const table = dataTable({
    caption: 'API keys',
    className: 'keys',
    columns: ['Key', 'State', 'Last 14 days', 'Last used', 'Created'],
    numbers: ['Last 14 days'],
    rows: keys.map((key, index) => keyRow(key, index, model)),
  })
  if (keys.every(hasEnded)) return html`<div class="panel">${table}</div>`
  return html`<form class="panel" action="${paths.revokeSelected(model.frame.workspace.slug)}">${viewFields(model.view)}${table}<p class="selection"><button class="button danger">Revoke selected</button></p></form>`
}

const noMatches = ({ search }: ListingRequest): Html =>
  search === ''
    ? html`<section class="panel empty"><h2>No keys</h2><p>No keys are in this state right now.</p></section>`
    : html`<section class="panel empty"><h2>No keys match ${inQuotes(search)}</h2><p>Search covers labels, clients, key prefixes and creators, and is case-insensitive. You can also paste a whole key.</p></section>`

const keyRow = (key: KeyOverview, index: number, { frame, view, usualPermissions }: KeysModel): DataRow => ({
  className: hasEnded(key) ? 'ended' : key.attention.includes('leaked') ? 'leaked' : '',
  head: html`${!hasEnded(key) && html`<label><input type="checkbox" name="key" value="${key.id}" aria-labelledby="key${index}"></label>`}<a class="label" id="key${index}" href="${paths.key(frame.workspace.slug, key.id)}">${isolated(key.label)}</a>${keyMark(key)}${keyLimits(key, usualPermissions).map((limit) => html` <span class="limit">${limit}</span>`)}`,
  cells: [
    html`${statePill(key)}<span class="sub">${stateDetail(key, frame)}</span>`,
    html`<span>${sparkline(key, frame)}<b>${formatCount(totalUse(key.dailyUse))}</b></span>`,
    key.lastUsedAt === null ? html`<span class="faint">never</span>` : relativeTime(key.lastUsedAt, frame),
    html`${relativeTime(key.createdAt, frame)}<span class="sub">${creatorOf(key, frame)}</span>`,
  ],
  actions: hasEnded(key) ? '' : actions(key, index, frame.workspace.slug),
  notes: key.attention
    .filter((kind) => view.show === 'attention' || view.show === kind)
    .map((kind) => attentionNote(kind, key, frame)),
})

/** Colleagues are recognised without their domain. The key's own page shows the whole address. */
function creatorOf({ createdBy }: KeyOverview, { email }: PageFrame): Html {
  const isColleague = createdBy.endsWith(email.slice(email.indexOf('@')))
  return breakable(clip(isColleague ? createdBy.slice(0, createdBy.indexOf('@')) : createdBy, CREATOR_SHOWN))
}

/** Accessible names include the key's label. */
function actions(key: KeyOverview, index: number, slug: string): Html {
  const { id, state, client } = key
  const link = (verb: string, href: string, className: string) =>
    html`<a class="${className}" id="${verb}${index}" aria-labelledby="${verb}${index} key${index}" href="${href}">${verb}</a>`
  const rotate = client === null && state.kind !== 'rotating' && link('Rotate', paths.key(slug, id, 'rotate'), 'quiet')
  return html`${rotate}${link(revokeWord(key), paths.key(slug, id, 'revoke'), 'quiet danger')}`
}

/** POST keeps a pasted key out of URLs and logs. */
function searchForm(view: ListingRequest, frame: PageFrame): Html {
  const label = 'Search by label, client, prefix, creator or a whole key'
  return html`<form class="search" role="search" method="post" action="${paths.searchKeys(frame.workspace.slug)}">${csrfField(frame)}<input type="hidden" name="show" value="${view.show}">
<label class="visually-hidden" for="q">${label}</label>
<input id="q" name="q" type="search" value="${view.search}" placeholder="Label, prefix, creator, key" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" dir="auto">
<button class="quiet">${icon('search')}<span class="visually-hidden">Search</span></button></form>${view.search !== '' && html`<a class="quiet" href="${paths.keys(frame.workspace.slug, { ...view, search: '', page: 1 })}">Show all</a>`}`
}

const filterText: Record<KeyFilter, string> = {
  ...stateText,
  all: 'All',
  attention: 'Needs attention',
  leaked: 'May have leaked',
  unused: 'Unused',
  never_expires: 'Never expires',
  rotation_unfinished: 'Rotation unfinished',
}

/** States without keys are left out. What needs attention is divided by its reason while it is selected. */
function filters(view: ListingRequest, counts: KeyListing['counts'], frame: PageFrame): Html {
  const reasons: readonly KeyFilter[] = attentionKinds
  const isAttention = view.show === 'attention' || reasons.includes(view.show)
  const all: KeyFilter[] = ['all', 'attention', ...(isAttention ? reasons : []), ...keyGroups, 'never_expires']
  const shown = all.filter((filter) => counts[filter] > 0 || filter === 'all' || filter === view.show)
  const href = (show: KeyFilter) => paths.keys(frame.workspace.slug, { ...view, show, page: 1 })
  const tone = counts.leaked > 0 ? 'bad' : 'warn'
  return html`<nav class="chips" aria-label="Filter by state"><ul>${shown.map(
    (show) =>
      html`<li><a${show === 'attention' && html` class="${tone}"`} href="${href(show)}"${show === view.show && html` aria-current="true"`}>${show === 'attention' && icon('warning')}${filterText[show]} <span class="count">${formatCount(counts[show])}</span></a></li>`,
  )}</ul></nav>`
}

function keysPager(view: ListingRequest, { page, pages, counts }: KeyListing, frame: PageFrame): Part {
  const total = counts[view.show]
  const href = (to: number) => paths.keys(frame.workspace.slug, { ...view, page: to })
  return pages > 1 && pager({ page, pages, perPage: KEYS_PER_PAGE, total, href })
}

export const connectButton = (slug: string): Html =>
  html`<a class="button primary" href="${paths.connect(slug)}">${icon('plus')}Connect</a>`

/** In place of the keys, while there are none. */
export const emptyState = (slug: string): Html =>
  html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">Make your first call in three steps</h2>
<p>A key lets one script or agent read this workspace: the nightly report that fetches today’s tasks, or the assistant in your
editor that answers “what is due this week?”.</p>
<ol class="steps"><li>${icon('key')}<h3>1. Choose how to connect</h3><p>With a URL and by signing in, or with a key in a header. You choose what it may read, and until when.</p></li>
<li>${icon('terminal')}<h3>2. Connect your agent or script</h3><p>Follow the steps for ChatGPT, Claude, Cursor or VS Code, or paste a snippet with the key filled in.</p></li>
<li>${icon('chart')}<h3>3. See the first call here</h3><p>The page shows when the first request arrives, and its outcome. After that, the list of keys shows who calls, and how often.</p></li></ol>
<p>${connectButton(slug)}</p></section>`
