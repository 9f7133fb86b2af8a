import { hasEnded } from '../../keys/state.ts'
import { paths } from '../paths.ts'
import { type Html, html, type Part, quoted } from './html.ts'
import { keyTable } from './key-table.ts'
import { heading, noticeBox, page } from './layout.ts'
import type { KeysModel } from './model.ts'

const lead = 'A key lets a script or an AI agent read this workspace. It can look; it cannot change anything.'

export function keysPage(model: KeysModel): string {
  const { slug } = model.chrome.workspace
  const make = html`<a class="button primary" href="${paths.newKey(slug)}">New key</a>`
  const body = [
    heading({ title: 'API keys', lead, actions: model.total > 0 && make }),
    noticeBox(model.notice),
    model.total === 0 ? emptyState(slug) : [searchForm(model), results(model)],
  ]
  return page(model.chrome, { title: 'API keys', section: 'keys', body })
}

function emptyState(slug: string): Html {
  return html`<section class="panel empty" aria-labelledby="empty"><h2 id="empty">No keys yet</h2>
<p>A key is how something outside signs in: the nightly report that fetches today’s tasks, or the assistant in your editor
that answers “what is due this week?”. Make one key for each, named after what uses it, so that you can see what it does and
take it back without touching the others.</p>
<ul class="facts"><li><strong>Read-only.</strong> No key can change or delete anything.</li>
<li><strong>Yours to end.</strong> A revoked key is refused from its next request on.</li>
<li><strong>For servers.</strong> Keep keys out of web pages, URLs and source control.</li></ul>
<p><a class="button primary" href="${paths.newKey(slug)}">Make the first key</a></p></section>`
}

const searchForm = ({ search, chrome }: KeysModel): Html =>
  html`<form class="search" role="search" method="get" action="${paths.keys(chrome.workspace.slug)}">
<label class="visually-hidden" for="q">Search by label</label>
<input id="q" name="q" type="search" value="${search}" placeholder="Search by label" autocomplete="off" maxlength="100">
<button class="button">Search</button>${search !== '' && html`<a class="quiet" href="${paths.keys(chrome.workspace.slug)}">Show all</a>`}</form>`

function results({ keys, search, chrome }: KeysModel): Part {
  if (keys.length === 0)
    return html`<section class="panel empty"><h2>No key is called ${quoted(search)}</h2><p>Labels are searched, whatever their case.</p></section>`
  const working = keys.filter((key) => !hasEnded(key))
  const ended = keys.filter(hasEnded)
  return [
    working.length === 0
      ? html`<p class="panel none">No key works at the moment.</p>`
      : html`<div class="panel">${keyTable(working, chrome, 'Keys that work')}</div>`,
    ended.length > 0 &&
      html`<details class="past"${(search !== '' || working.length === 0) && html` open`}><summary>Revoked and expired <span class="count">${ended.length}</span></summary>
<div class="panel">${keyTable(ended, chrome, 'Keys that were revoked or have expired')}</div></details>`,
  ]
}
