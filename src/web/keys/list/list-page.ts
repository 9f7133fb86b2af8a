import type { KeyListing, ListingRequest } from '../../../keys/listing.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { hasEnded } from '../../../keys/state.ts'
import { breakable, type Html, html, named, type Part, quoted } from '../../../lib/html.ts'
import { icon } from '../../layout/icon.ts'
import { factsList, heading, type Notice, noticeBox, type PageFrame, page } from '../../layout/page.ts'
import { type DataRow, dataTable } from '../../layout/table.ts'
import { relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { attentionNote, attentionPanel } from '../attention.ts'
import { keyTags, stateDetail, statePill, useChart } from '../key-parts.ts'
import { exposedText, type PermissionWords } from '../permissions.ts'
import { filters, keysPager, searchBar } from './controls.ts'

export interface KeysModel {
  frame: PageFrame
  view: ListingRequest
  listing: KeyListing
  permissions: PermissionWords[]
  /** After a change: "“nightly report” has been revoked." */
  notice: Notice | null
}

export const KEYS_LEAD = 'Keys let scripts and AI agents read this workspace. They cannot change anything.'

export function keysPage(model: KeysModel): string {
  const { frame, listing } = model
  const { slug } = frame.workspace
  const create = html`<a class="button primary" href="${paths.newKey(slug)}">${icon('plus')}New key</a>`
  const isEmpty = listing.total === 0
  const body = [
    heading({ title: 'API keys', lead: KEYS_LEAD, actions: !isEmpty && create }),
    noticeBox(model.notice),
    isEmpty ? emptyState(slug) : [hasAttention(model) && attentionPanel(listing.attention, frame), list(model)],
  ]
  return page(frame, { title: 'API keys', section: 'keys', body })
}

/** Above the list as it is opened first, not above the results of a search or a filter. */
const hasAttention = ({ view, listing }: KeysModel): boolean =>
  listing.attention.length > 0 && view.search === '' && view.show === 'all' && listing.page === 1

function list(model: KeysModel): Part {
  const { view, listing, frame } = model
  return [
    searchBar(view, frame),
    filters(view, listing.counts, frame),
    listing.keys.length === 0
      ? nothing(view)
      : html`<div class="panel">${dataTable({
          caption: 'API keys',
          className: 'keys',
          columns: ['Key', 'State', 'Permissions', 'Last used', 'Created'],
          rows: listing.keys.map((key, index) => keyRow(key, index, model)),
        })}</div>`,
    keysPager(view, listing, frame),
    listing.keys.length > 0 && exposure(model.permissions),
  ]
}

const nothing = ({ search }: ListingRequest): Html =>
  search === ''
    ? html`<section class="panel empty"><h2>No such keys</h2><p>No key is in this state at the moment.</p></section>`
    : html`<section class="panel empty"><h2>No keys match ${quoted(search)}</h2><p>The search looks at labels, the beginnings of keys and who created them, and ignores case. You can also paste a whole key.</p></section>`

const keyRow = (key: KeyOverview, index: number, { frame, view }: KeysModel): DataRow => ({
  id: key.id,
  className: hasEnded(key) ? 'ended' : '',
  head: html`<a class="label" id="key${index}" href="${paths.key(frame.workspace.slug, key.id)}">${named(key.label)}</a><code class="prefix">${key.prefix}…</code>`,
  cells: [
    html`${statePill(key.state)}<span class="sub">${stateDetail(key, frame)}</span>`,
    keyTags(key),
    html`${useChart(key.dailyUse, frame)}<span class="sub">${key.lastUsedAt === null ? 'never' : relativeTime(key.lastUsedAt, frame)}</span>`,
    html`${relativeTime(key.createdAt, frame)}<span class="sub">${breakable(key.createdBy)}</span>`,
  ],
  actions: hasEnded(key) ? '' : actions(key, index, frame.workspace.slug),
  notes: key.attention
    .filter((kind) => view.show === 'attention' || view.show === kind)
    .map((kind) => attentionNote(kind, key, frame)),
})

/** Their names end with the label, which is in the page once. */
function actions({ id, state }: KeyOverview, index: number, slug: string): Html {
  const link = (verb: string, href: string, className: string) =>
    html`<a class="${className}" id="${verb}${index}" aria-labelledby="${verb}${index} key${index}" href="${href}">${verb}</a>`
  return html`${state.kind !== 'rotating' && link('Rotate', paths.key(slug, id, 'rotate'), 'quiet')}${link('Revoke', paths.key(slug, id, 'revoke'), 'quiet danger')}`
}

/** Once for all keys: a tooltip on each would be out of reach of keyboards and touch. */
const exposure = (permissions: readonly PermissionWords[]): Html =>
  html`<details class="exposure"><summary>What the permissions expose</summary>${factsList(
    permissions.map((words) => [
      html`<code class="tag">${words.name}</code>`,
      `${words.responses} ${exposedText(words)}`,
    ]),
  )}</details>`

/** The way to the first call, for a workspace without keys. */
const emptyState = (slug: string): Html =>
  html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">Three steps to the first call</h2>
<p>A key lets one script or agent read this workspace: the nightly report that fetches today’s tasks, or the assistant in your
editor that answers “what is due this week?”.</p>
<ol class="steps"><li>${icon('key')}<h3>Create a key</h3><p>Name it after what will use it. You choose what it may read and when it expires.</p></li>
<li>${icon('terminal')}<h3>Connect your agent or script</h3><p>Paste the snippet for Claude Code, Cursor, VS Code, Codex, Gemini CLI, curl, TypeScript or Python: the key is filled in.</p></li>
<li>${icon('chart')}<h3>See the first call here</h3><p>The page shows when the first request arrives, and its outcome. This list then shows who calls, and how often.</p></li></ol>
<p><a class="button primary" href="${paths.newKey(slug)}">${icon('plus')}Create the first key</a></p>
<ul class="facts"><li><strong>Read-only.</strong> No key can change or delete anything.</li>
<li><strong>Revocable.</strong> A revoked key is refused from its next request on.</li>
<li><strong>For servers.</strong> Keep keys out of web pages, URLs and source control.</li></ul></section>`
