import type { KeyOverview, KeyWarning } from '../../keys/overview.ts'
import { hasEnded, type KeyState } from '../../keys/state.ts'
import { type Html, html, named, type Part, quoted } from '../../lib/html.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, heading, type Notice, noticeBox, page } from '../layout/layout.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { type Clock, dateTime, momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { stateDetail, statePill } from './key-parts.ts'
import { useChart } from './use-chart.ts'

/** GET /settings/workspaces/<slug>/keys, for an owner or an admin. */
export interface KeysModel {
  chrome: Chrome
  /** Those that match the search, newest first. */
  keys: KeyOverview[]
  /** How many keys the workspace has in all, whatever the search. */
  total: number
  search: string
  /** After a change: "“nightly report” has been revoked." */
  notice: Notice | null
}

const lead = 'Keys let scripts and AI agents read this workspace. They cannot change anything.'

export function keysPage(model: KeysModel): string {
  const { slug } = model.chrome.workspace
  const create = html`<a class="button primary" href="${paths.newKey(slug)}">${icon('plus')}New key</a>`
  const body = [
    heading({ title: 'API keys', lead, actions: model.total > 0 && create }),
    noticeBox(model.notice),
    model.total === 0 ? emptyState(slug) : [searchForm(model), results(model)],
  ]
  return page(model.chrome, { title: 'API keys', section: 'keys', body })
}

function emptyState(slug: string): Html {
  return html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">No keys yet</h2>
<p>A script or an agent uses a key to sign in: the nightly report that fetches today’s tasks, or the assistant in your editor
that answers “what is due this week?”. Create one key for each, named after what uses it, so you can see what it does and
revoke it without affecting the others.</p>
<ul class="facts"><li><strong>Read-only.</strong> No key can change or delete anything.</li>
<li><strong>Revocable.</strong> A revoked key is refused from its next request on.</li>
<li><strong>For servers.</strong> Keep keys out of web pages, URLs and source control.</li></ul>
<p><a class="button primary" href="${paths.newKey(slug)}">Create the first key</a></p></section>`
}

const searchForm = ({ search, chrome }: KeysModel): Html =>
  html`<form class="search" role="search" method="get" action="${paths.keys(chrome.workspace.slug)}">
<label class="visually-hidden" for="q">Search by label</label>
<input id="q" name="q" type="search" value="${search}" placeholder="Search by label" autocomplete="off" maxlength="100">
<button class="button">Search</button>${search !== '' && html`<a class="quiet" href="${paths.keys(chrome.workspace.slug)}">Show all</a>`}</form>`

function results({ keys, search, chrome }: KeysModel): Part {
  if (keys.length === 0)
    return html`<section class="panel empty"><h2>No keys match ${quoted(search)}</h2><p>The search looks at labels and ignores case.</p></section>`
  const working = keys.filter((key) => !hasEnded(key))
  const ended = keys.filter(hasEnded)
  return [
    working.length === 0
      ? html`<p class="panel none">No key works at the moment.</p>`
      : html`<div class="panel">${table(working, chrome, 'Working keys')}</div>`,
    ended.length > 0 &&
      html`<details class="past"${(search !== '' || working.length === 0) && html` open`}><summary>Revoked and expired <span class="count">${ended.length}</span></summary>
<div class="panel">${table(ended, chrome, 'Revoked and expired keys')}</div></details>`,
  ]
}

function table(keys: readonly KeyOverview[], chrome: Chrome, caption: string): Html {
  return dataTable({
    caption,
    className: 'keys',
    columns: ['Key', 'State', 'Permissions', 'Last used', 'Created'],
    rows: keys.map((key) => keyRow(key, chrome)),
  })
}

const keyRow = (key: KeyOverview, chrome: Chrome): DataRow => ({
  id: key.id,
  className: hasEnded(key) ? 'ended' : '',
  head: html`<a class="label" href="${paths.audit(chrome.workspace.slug, { key: key.id, kind: null })}">${named(key.label)}</a><code class="prefix">${key.prefix}…</code>`,
  cells: [
    html`${statePill(key.state)}<span class="sub">${stateDetail(key, chrome)}</span>`,
    permissionList(key),
    html`${useChart(key.dailyUse, chrome)}<span class="sub">${key.lastUsedAt === null ? 'Never' : relativeTime(key.lastUsedAt, chrome)}</span>`,
    html`${relativeTime(key.createdAt, chrome)}<span class="sub by" title="${key.createdBy}">${named(key.createdBy)}</span>`,
  ],
  actions: hasEnded(key) ? '' : actions(key, chrome.workspace.slug),
  notes: keyNotes(key, chrome),
})

function permissionList({ permissions, quota }: KeyOverview): Html {
  const limit = quota !== null && html`<span class="sub">${quota.limit} per ${quota.windowSeconds} s</span>`
  return html`<span class="tags">${permissions.map((name) => html`<code class="tag">${name}</code> `)}</span>${limit}`
}

function actions(key: KeyOverview, slug: string): Html {
  const about = html`<span class="visually-hidden"> ${named(key.label)}</span>`
  const rotate = html`<a class="quiet" href="${paths.rotate(slug, key.id)}">Rotate${about}</a>`
  const revoke = html`<a class="quiet danger" href="${paths.revoke(slug, key.id)}">Revoke${about}</a>`
  return html`${key.state.kind !== 'rotating' && rotate}${revoke}`
}

/** What a person should know or do about this key, in sentences under its row. */
function keyNotes(key: KeyOverview, chrome: Chrome): Html[] {
  const rotate =
    hasEnded(key) || key.state.kind === 'rotating'
      ? ''
      : html` <a href="${paths.rotate(chrome.workspace.slug, key.id)}">Rotate it</a>`
  return [...key.warnings.map((warning) => warningNote(warning, rotate, chrome)), ...stateNotes(key.state, chrome)]
}

function warningNote({ seen, at }: KeyWarning, rotate: Part, clock: Clock): Html {
  const where = seen === 'url' ? 'in a URL' : 'in a browser'
  const why =
    seen === 'url'
      ? 'URLs end up in logs and browser histories, so treat the key as leaked.'
      : 'Anyone who uses that browser can read the key. Keys belong on servers.'
  const todo = rotate === '' ? '.' : ': rotate it.'
  return html`<p class="note bad"><strong>Seen ${where} on ${dateTime(at, clock)}${todo}</strong> ${why}${rotate}</p>`
}

function stateNotes(state: KeyState, clock: Clock): Html[] {
  if (state.kind !== 'rotating') return []
  const still =
    state.stillUsed && html` <strong>The old key is still being used:</strong> something has not switched over yet.`
  return [
    html`<p class="note${state.stillUsed ? ' warn' : ''}">The old key still works until ${momentTime(state.until, clock)}.${still}</p>`,
  ]
}
