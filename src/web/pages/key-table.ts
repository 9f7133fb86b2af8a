import { hasEnded } from '../../keys/state.ts'
import { paths } from '../paths.ts'
import { requests, totalUse, useChart } from './chart.ts'
import { type Html, html, named } from './html.ts'
import { expiryText, keyNotes, statePill } from './key-state.ts'
import type { Chrome, KeyRow } from './model.ts'
import { relativeTime } from './time.ts'

/**
 * A table on a desk, cards on a phone. The roles are spelled out because some browsers forget that a table is one
 * when CSS lays it out as something else.
 */
export function keyTable(keys: readonly KeyRow[], chrome: Chrome, caption: string): Html {
  const head = ['Key', 'Permissions', 'Made', 'Expires', 'Last used', 'Last 14 days', 'State']
  return html`<table class="keys" role="table"><caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${head.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}<th role="columnheader" scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
${keys.map((key) => keyGroup(key, chrome))}</table>`
}

function keyGroup(key: KeyRow, { workspace: { slug }, now }: Chrome): Html {
  const notes = keyNotes(key, slug)
  const cell = (name: string, content: Html) => html`<td role="cell" data-name="${name}">${content}</td>`
  return html`<tbody role="rowgroup" id="${key.id}"${hasEnded(key) && html` class="ended"`}><tr role="row">
<th role="rowheader" scope="row"><a class="label" href="${paths.audit(slug, { key: key.id, kind: null })}">${named(key.label)}</a><code class="prefix">${key.prefix}…</code></th>
${cell('Permissions', permissionList(key))}
${cell('Made', html`${relativeTime(key.madeAt, now)}<span class="sub" title="${key.madeBy}">by ${named(key.madeBy)}</span>`)}
${cell('Expires', html`${expiryText(key, now)}`)}
${cell('Last used', key.lastUsedAt === null ? html`<span class="faint">Never</span>` : relativeTime(key.lastUsedAt, now))}
${cell('Last 14 days', html`${useChart(key.dailyUse, now)}<span class="sub" aria-hidden="true">${requests(totalUse(key.dailyUse))}</span>`)}
${cell('State', statePill(key.state))}
<td role="cell" class="do">${hasEnded(key) ? '' : actions(key, slug)}</td></tr>
${notes.length > 0 && html`<tr role="row" class="notes"><td role="cell" colspan="8">${notes}</td></tr>`}</tbody>
`
}

function permissionList({ permissions, quota }: KeyRow): Html {
  const limit = quota !== null && html`<span class="sub">${quota.limit} per ${quota.windowSeconds} s</span>`
  return html`<span class="tags">${permissions.map((name) => html`<code class="tag">${name}</code> `)}</span>${limit}`
}

function actions(key: KeyRow, slug: string): Html {
  const about = html`<span class="visually-hidden"> ${named(key.label)}</span>`
  const rotate = html`<a class="quiet" href="${paths.rotate(slug, key.id)}">Rotate${about}</a>`
  const revoke = html`<a class="quiet danger" href="${paths.revoke(slug, key.id)}">Revoke${about}</a>`
  return html`${key.state.kind !== 'rotating' && rotate}${revoke}`
}
