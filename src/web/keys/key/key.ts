import { readTrail } from '../../../audit/trail.ts'
import { type KeyDetail, readKeyDetail } from '../../../keys/detail.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { hasEnded } from '../../../keys/state.ts'
import { type Html, html, named } from '../../../lib/html.ts'
import { isManager } from '../../../members/roles.ts'
import type { HttpResponse } from '../../../operation.ts'
import { type AuditEntry, auditTable } from '../../audit/table.ts'
import type { WorkspaceContext } from '../../context.ts'
import { type IconName, icon } from '../../layout/icon.ts'
import { type Chrome, csrfField, factsList, heading, type Notice, noticeBox, page } from '../../layout/page.ts'
import { dateTime, momentTime, relativeTime } from '../../layout/time.ts'
import { paths, serviceUrlOf } from '../../paths.ts'
import { htmlResponse, pageNotFound } from '../../responses.ts'
import { examplePathOf } from '../create/created.ts'
import { expiryText, requests, statePill } from '../key-parts.ts'
import { isReplaceable } from '../life-cycle/replace.ts'
import { showManagers } from '../list/list.ts'
import { type PermissionWords, permissionsSection, permissionWords } from '../permissions.ts'
import { keyAdvice, keyLink, workingSuccessor } from './advice.ts'
import { callersSection, type QuotaModel, quotaSection, useSection } from './sections.ts'

/** The whole log is one click away. */
const ENTRIES_SHOWN = 20

export async function showKey(context: WorkspaceContext): Promise<HttpResponse> {
  if (!isManager(context.workspace)) return showManagers(context, 403)
  const { request, store, workspace, chrome, config, resources, publicApi, keyId, nowMs } = context
  const { workspaceId } = workspace
  const { key, entries } = await store.read(async (tx) => ({
    key: await readKeyDetail(tx, workspaceId, keyId, { nowMs, timezone: chrome.timezone }),
    entries: await readTrail(tx, { workspaceId, keyId, kind: null, before: null, limit: ENTRIES_SHOWN }),
  }))
  if (key === undefined) throw pageNotFound()
  const quota = key.quota ?? config.quota
  const isRefused = hasEnded(key) || key.state.kind === 'paused'
  const window = isRefused ? null : await publicApi.quotaInUse(keyId, quota)
  return htmlResponse(
    200,
    keyPage({
      chrome,
      key,
      permissions: permissionWords(resources),
      quota: { quota, isCustom: key.quota !== null, window },
      entries: entries.map((entry) => ({ ...entry, label: key.label })),
      exampleUrl: serviceUrlOf(context) + examplePathOf(resources, key),
      notice: noticeOf(request.query.get('done'), key),
    }),
  )
}

/** The address says what was done, never in which words: those could be anybody's. */
function noticeOf(done: string | null, key: KeyDetail): Notice | null {
  const good = (text: string): Notice => ({ tone: 'good', text })
  if (done === 'saved' && !hasEnded(key)) return good('Your changes are saved.')
  if (done === 'paused' && key.state.kind === 'paused')
    return good('The key is paused: every request with it is refused, from the next one on.')
  if (done === 'resumed' && key.state.kind !== 'paused' && !hasEnded(key))
    return good('The key works again, from the next request on.')
  if (done === 'rotation-cancelled' && key.retiresAt === null && key.state.kind !== 'rotating' && !hasEnded(key))
    return good('The rotation is cancelled: this key goes on as before.')
  return null
}

/** GET …/keys/<id>, for an owner or an admin. */
export interface KeyPageModel {
  chrome: Chrome
  key: KeyDetail
  /** Of all that keys can be permitted. */
  permissions: PermissionWords[]
  quota: QuotaModel
  /** The newest first. */
  entries: AuditEntry[]
  /** The address that the key's first request can be sent to. */
  exampleUrl: string
  /** After a change. */
  notice: Notice | null
}

export function keyPage(model: KeyPageModel): string {
  const { chrome, key } = model
  const advice = keyAdvice(key, chrome)
  const body = [
    heading({
      title: named(key.label),
      lead: html`${statePill(key.state)} <code>${key.prefix}…</code>`,
      back: { href: paths.keys(chrome.workspace.slug), text: 'API keys' },
    }),
    noticeBox(model.notice),
    !hasEnded(key) && actions(key, chrome),
    advice.length > 0 && html`<section class="advice" aria-label="What to know and do">${advice}</section>`,
    useSection(key, chrome, firstSteps(model)),
    html`<div class="parts">${facts(key, chrome)}${quotaSection(model.quota, Date.parse(chrome.now))}</div>`,
    key.callers.length > 0 && callersSection(key, chrome),
    permissionsSection(key.permissions, model.permissions),
    history(model),
  ]
  return page(chrome, { title: key.label, section: 'keys', body })
}

function actions(key: KeyDetail, chrome: Chrome): Html {
  const { slug } = chrome.workspace
  const link = (href: string, name: IconName, text: string, more = '') =>
    html`<a class="button${more}" href="${href}">${icon(name)}${text}</a>`
  const resume = html`<form method="post" action="${paths.resume(slug, key.id)}">${csrfField(chrome)}<button class="button primary" data-pending="Resuming…">${icon('play')}Resume</button></form>`
  return html`<div class="buttons key-actions">
${link(paths.agentView(slug, key.id), 'agent', 'What an agent sees')}${link(paths.editKey(slug, key.id), 'edit', 'Edit')}
${workingSuccessor(key) === undefined && link(paths.rotate(slug, key.id), 'rotate', 'Rotate')}
${key.state.kind === 'paused' ? resume : link(paths.pause(slug, key.id), 'pause', 'Pause')}${link(paths.revoke(slug, key.id), 'ban', 'Revoke', ' danger')}</div>
`
}

/** Each rotation adds one, and whoever rotates every day has hundreds: the first few lead on. */
const SUCCESSORS_SHOWN = 5

function facts(key: KeyDetail, chrome: Chrome): Html {
  const kin = (other: KeyOverview) =>
    html`${keyLink(other, chrome)} <code>${other.prefix}…</code> ${statePill(other.state)}`
  const successors = [
    ...key.successors.filter((successor) => !hasEnded(successor)),
    ...key.successors.filter(hasEnded).reverse(),
  ]
  const hidden = successors.length - SUCCESSORS_SHOWN
  const lastUse =
    key.lastUsedAt === null ? 'Never' : html`${relativeTime(key.lastUsedAt, chrome)}, ${requests(key.useCount)} in all`
  const list = factsList([
    ['Created', html`${dateTime(key.createdAt, chrome)} by ${named(key.createdBy)}`],
    ['Expires', expiryText(key, chrome)],
    key.retiresAt !== null && ['Rotation ends', momentTime(key.retiresAt, chrome)],
    ['Last used', lastUse],
    key.predecessor !== null && ['Replaces', kin(key.predecessor)],
    ...successors.slice(0, SUCCESSORS_SHOWN).map((successor) => ['Replaced by', kin(successor)] as const),
    hidden > 0 && ['Others', `${hidden} more`],
    ['Id', html`<code>${key.id}</code>`],
  ])
  return html`<section class="panel part" aria-labelledby="about"><h2 id="about">About this key</h2>${list}</section>`
}

/** For a key that nobody has used yet. */
function firstSteps({ chrome, key, exampleUrl }: KeyPageModel): Html {
  const lost =
    isReplaceable(key) &&
    html`<p>Did you lose it? It was shown once and is stored only as a hash. <a href="${paths.replaceKey(chrome.workspace.slug, key.id)}">Replace it</a> with a new one.</p>`
  if (hasEnded(key))
    return html`<section class="panel part" aria-labelledby="use"><h2 id="use">It was never used</h2></section>`
  return html`<section class="panel empty" aria-labelledby="use"><h2 id="use">No requests yet</h2>
<ol class="numbered"><li>Store the key where the script or agent reads its secrets, such as the environment variable <code>VITRINE_KEY</code>.</li>
<li>Send a first request: <code>curl -H "Authorization: Bearer $VITRINE_KEY" ${exampleUrl}</code></li>
<li>Reload this page: it shows who called, when, and what was answered.</li></ol>
${lost}</section>`
}

function history({ chrome, key, entries }: KeyPageModel): Html {
  const all = paths.audit(chrome.workspace.slug, { key: key.id, kind: null })
  return html`<section class="panel part" aria-labelledby="history"><h2 id="history">History</h2>
${entries.length === 0 ? html`<p>There are no entries yet.</p>` : html`<div>${auditTable(entries, chrome)}</div>`}
<p><a href="${all}">The whole audit log of this key</a></p></section>`
}
