import type { KeyDetail, KeyOverview } from '../../../keys/overview.ts'
import { isOver, secondsToReset } from '../../../keys/quota.ts'
import { hasEnded } from '../../../keys/state.ts'
import { readHours } from '../../../keys/workspace-use.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import type { LocalTime } from '../../../lib/local-dates.ts'
import { clip } from '../../../lib/plain-text.ts'
import type { Quota, QuotaWindow } from '../../../lib/rate-windows.ts'
import { isManager } from '../../../members/roles.ts'
import { examplePathOf } from '../../../resources/define.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { breakable, type Html, html, isolated, type Part } from '../../html.ts'
import { factsList, type PageFrame } from '../../layout/page.ts'
import { dataTable } from '../../layout/table.ts'
import { dateTime, momentTime, relativeTime } from '../../layout/time.ts'
import { paths, serviceUrlOf } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { readKey } from '../change.ts'
import { expiryText, quotaText, statePill } from '../key-parts.ts'
import { showManagers } from '../list.ts'
import { type PermissionWords, permissionsSection, permissionWords } from '../permissions.ts'
import { rowsText } from '../row-values.ts'
import * as charts from '../use-charts.ts'
import { keyAdvice, keyLink } from './advice.ts'
import { keyTabPage } from './tabs.ts'

/** Callers choose their own names. */
const AGENT_SHOWN = 80
/** A client that registered itself has a long id. */
const CLIENT_SHOWN = 100
/** Daily rotations lead to hundreds. */
const SUCCESSORS_SHOWN = 5

export interface KeyPageModel {
  frame: PageFrame
  key: KeyDetail
  permissions: PermissionWords[]
  defaultQuota: Quota
  /** Undefined if nothing has been used yet, null if the key is refused anyway. */
  window: QuotaWindow | undefined | null
  period: charts.Period
  exampleUrl: string
}

export const showKey: WorkspaceHandler = async (context) => {
  if (!isManager(context.workspace)) return showManagers(context, 403)
  const { frame, config, resources, quotaInUse, request, store, workspace } = context
  const detail = await readKey(context)
  const period = charts.periodIn(request.query)
  const scope = { workspaceId: workspace.workspaceId, keyId: detail.id }
  const hours = period === 1 && (await store.read((tx) => readHours(tx, scope, frame)))
  const key = { ...detail, days: hours || detail.days.slice(-period) }
  const isRefused = hasEnded(key) || key.state.kind === 'paused'
  const window = isRefused ? null : await quotaInUse(key.id, key.quota ?? config.quota)
  const exampleUrl = serviceUrlOf(context) + examplePathOf(resources, key.permissions)
  const permissions = permissionWords(resources)
  return htmlResponse(200, keyPage({ frame, key, permissions, defaultQuota: config.quota, window, period, exampleUrl }))
}

export function keyPage(model: KeyPageModel): string {
  const { frame, key, period } = model
  const advice = keyAdvice(key, frame)
  return keyTabPage(frame, key, 'use', [
    advice.length > 0 && html`<section class="advice" aria-label="What to know and do">${advice}</section>`,
    useSection(key, frame, period, firstSteps(model)),
    html`<div class="parts">${facts(key, frame)}${quotaSection(model)}</div>`,
    key.callers.length > 0 && callersSection(key, frame),
    permissionsSection(key.permissions, model.permissions),
  ])
}

function useSection(key: KeyDetail, frame: PageFrame, period: charts.Period, whenUnused: Part): Part {
  const isQuiet = key.days.every((day) => charts.requestsOn(day) === 0)
  if (isQuiet && key.lastUsedAt === null) return whenUnused
  const before = isQuiet && key.lastUsedAt !== null && html` It was last used on ${dateTime(key.lastUsedAt, frame)}.`
  const periods = charts.periodLinks(period, (days) => paths.useOf(frame.workspace.slug, key.id, days))
  return html`<section class="panel part" aria-labelledby="use"><div class="part-head"><h2 id="use">Last ${charts.periodText(period)}</h2>${periods}</div>
<p>${charts.useSummary(key.days)}${before}</p>
${!isQuiet && [charts.barChart(key.days), charts.hoursHint(period), charts.dayTable(key.days)]}</section>`
}

function firstSteps({ frame, key, exampleUrl }: KeyPageModel): Part {
  // About it, the facts say "Last used: Never".
  if (hasEnded(key)) return null
  if (key.client !== null)
    return html`<section class="panel part" aria-labelledby="use"><h2 id="use">No requests yet</h2>
<p>The client is connected, but has not read anything yet. Ask it something about this workspace, and reload this page: it shows who called, when, and with what result.</p></section>`
  const lost =
    key.state.kind !== 'rotating' &&
    html`<p>Did you lose it? It was shown once and is stored only as a hash. <a href="${paths.key(frame.workspace.slug, key.id, 'rotate')}">Replace it</a> with a new one.</p>`
  return html`<section class="panel empty" aria-labelledby="use"><h2 id="use">No requests yet</h2>
<ol class="numbered"><li>Store the key where the script or agent reads its secrets, such as the environment variable <code>VITRINE_KEY</code>.</li>
<li>Send a first request: <code>curl -H "Authorization: Bearer $VITRINE_KEY" ${exampleUrl}</code></li>
<li>Reload this page: it shows who called, when, and with what result.</li></ol>
${lost}</section>`
}

function facts(key: KeyDetail, frame: PageFrame): Html {
  const kin = (other: KeyOverview) => html`${keyLink(other, frame)} ${statePill(other)}`
  const successors = [
    ...key.successors.filter((successor) => !hasEnded(successor)),
    ...key.successors.filter(hasEnded).reverse(),
  ]
  const hidden = key.successorCount - SUCCESSORS_SHOWN
  const lastUse =
    key.lastUsedAt === null
      ? 'Never'
      : html`${relativeTime(key.lastUsedAt, frame)}, ${counted(key.useCount, 'request')} served in all`
  const { client } = key
  const list = factsList([
    client !== null && ['Host', html`<strong>${breakable(client.host)}</strong>`],
    client !== null && ['Client', html`<code>${breakable(clip(client.id, CLIENT_SHOWN))}</code>`],
    client === null
      ? ['Created', html`${dateTime(key.createdAt, frame)} by ${breakable(key.createdBy)}`]
      : ['Connected', html`By ${breakable(key.createdBy)} on ${dateTime(key.createdAt, frame)}`],
    [client === null ? 'Expires' : 'Access ends', expiryText(key, frame)],
    ['Rows', breakable(rowsText(key.only))],
    ['Networks', breakable(key.networks?.join(', ') ?? 'Everywhere')],
    key.retiresAt !== null && ['Rotation ends', momentTime(key.retiresAt, frame)],
    ['Last used', lastUse],
    key.predecessor !== null && ['Replaces', kin(key.predecessor)],
    ...successors.slice(0, SUCCESSORS_SHOWN).map((successor) => ['Replaced by', kin(successor)] as const),
    hidden > 0 && ['Others', `${hidden} more`],
    ['Id', html`<code>${key.id}</code>`],
  ])
  const title = client === null ? 'About this key' : 'About this connection'
  return html`<section class="panel part" aria-labelledby="about"><h2 id="about">${title}</h2>${list}</section>`
}

function quotaSection({ frame, key, defaultQuota, window }: KeyPageModel): Html {
  const quota = key.quota ?? defaultQuota
  const { nowMs } = frame
  const isFresh = window === undefined || (window !== null && window.resetsAt <= nowMs)
  return html`<section class="panel part" aria-labelledby="quota"><h2 id="quota">Rate limit</h2>
<p><strong>${quotaText(quota)}</strong>${key.quota === null && ', the default of this service'}</p>
${isFresh ? html`<p class="hint">None used right now.</p>` : window !== null && quotaMeter(quota, window, nowMs)}</section>`
}

function quotaMeter(quota: Quota, window: QuotaWindow, nowMs: number): Html {
  // Refused requests count too, but showing by how much they exceed the limit would not help.
  const used = Math.min(window.used, quota.limit)
  const seconds = secondsToReset(quota, window, nowMs)
  const reset = seconds === 1 ? 'a second' : `${formatCount(seconds)} seconds`
  return html`<meter min="0" max="${quota.limit}" high="${Math.floor(quota.limit * 0.9)}" value="${used}" aria-labelledby="quota-use"></meter>
<p id="quota-use">${formatCount(used)} of ${formatCount(quota.limit)} used now. The count restarts in ${reset}.${isOver(quota, window) && html` <strong>Until then, requests are refused.</strong>`}</p>`
}

function callersSection({ callers, client }: KeyDetail, time: LocalTime): Html {
  const rows = callers.map(({ address, agent, count, firstAt, lastAt }) => ({
    head: agent ? isolated(clip(agent, AGENT_SHOWN)) : html`<span class="faint">No User-Agent</span>`,
    cells: [
      address ? html`<code>${address}</code>` : html`<span class="faint">Unknown</span>`,
      formatCount(count),
      relativeTime(firstAt, time),
      relativeTime(lastAt, time),
    ],
  }))
  const columns = ['Caller', 'Address', 'Logged requests', 'First seen', 'Last seen']
  return html`<section class="panel part" aria-labelledby="callers"><h2 id="callers">Callers</h2>
<p class="hint">From the request log of the last 7 days, most recent first. Callers choose their own names. If you do not recognise an address, ${client === null ? 'rotate the key' : 'disconnect the client'}.</p>
<div>${dataTable({ caption: 'Callers, most recent first', className: 'callers', columns, numbers: ['Logged requests'], rows })}</div></section>`
}
