import type { KeyDetail } from '../../keys/detail.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { hasEnded } from '../../keys/state.ts'
import { type Html, html, named } from '../../lib/html.ts'
import { type AuditEntry, auditTable } from '../audit/table.ts'
import { factsList } from '../layout/facts.ts'
import { type IconName, icon } from '../layout/icon.ts'
import { type Chrome, csrfField, heading, type Notice, noticeBox, page } from '../layout/layout.ts'
import { dateTime, momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { callersSection } from './callers-section.ts'
import { keyAdvice, keyLink, workingSuccessor } from './key-advice.ts'
import { expiryText, statePill } from './key-parts.ts'
import type { PermissionWords } from './permission-words.ts'
import { permissionsSection } from './permissions-section.ts'
import { type QuotaModel, quotaSection } from './quota-section.ts'
import { isReplaceable } from './replace-page.ts'
import { requests } from './use-chart.ts'
import { useSection } from './use-section.ts'

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
