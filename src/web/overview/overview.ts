import type { Transaction } from '../../database/store.ts'
import { type AttentionKind, attentionKinds, evaluate, urgentKeys } from '../../keys/evaluate.ts'
import { type KeyDay, refusedOn } from '../../keys/history.ts'
import { type KeyOverview, readOverviews } from '../../keys/overview.ts'
import { findKeys, newestKeyNames } from '../../keys/records.ts'
import { busiestKeys, readHours, readWorkspaceDays } from '../../keys/workspace-use.ts'
import { formatCount } from '../../lib/format-count.ts'
import { listsOf } from '../../lists/definition.ts'
import { isManager } from '../../members/roles.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { breakable, type Html, html, isolated, type Part } from '../html.ts'
import { attentionNote } from '../keys/attention.ts'
import { keyMark } from '../keys/key-parts.ts'
import { connectButton, emptyState } from '../keys/list.ts'
import {
  barChart,
  dayTable,
  hoursHint,
  type Period,
  periodIn,
  periodLinks,
  requestsOn,
  sparkline,
  totalUse,
} from '../keys/use-charts.ts'
import { icon } from '../layout/icon.ts'
import { noticeLine, type PageFrame, page } from '../layout/page.ts'
import { relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import {
  fillingText,
  isEmpty,
  needsAttention,
  readInPlace,
  readLists,
  rowCountText,
  type ShownList,
  type ShownSource,
  sourceNote,
  sourceState,
} from '../workspace/sources.ts'

const WEEK_DAYS = 7
const BUSIEST_SHOWN = 5
const FINDINGS_SHOWN = 12

/** Members may see neither keys nor the audit log: they land on the page that shows whom to ask. */
export const showOverview: WorkspaceHandler = async (context) => {
  if (!isManager(context.workspace)) return redirect(paths.keys(context.workspace.slug))
  return htmlResponse(200, overviewPage(await readModel(context)))
}

/** Reads a few rows by their indexes, however many keys the workspace has. */
async function readModel(context: WorkspaceContext): Promise<OverviewModel> {
  const { store, frame, workspace, resources, request } = context
  const model = await store.read(async (tx) => {
    const { workspaceId } = workspace
    const busiest = await busiestKeys(tx, workspaceId, frame, BUSIEST_SHOWN)
    const urgent = await findUrgent(tx, workspaceId, frame.nowMs)
    const ids = [...new Set([...busiest, ...urgent.map(({ id }) => id)])]
    const keys = new Map((await readOverviews(tx, workspaceId, ids, frame)).map((key) => [key.id, key]))
    const period = periodIn(request.query)
    return {
      frame,
      period,
      hours: period === 1 ? await readHours(tx, { workspaceId }, frame) : [],
      hasKeys: (await newestKeyNames(tx, workspaceId, 1)).length > 0,
      days: await readWorkspaceDays(tx, workspaceId, frame),
      busiest: busiest.flatMap((id) => keys.get(id) ?? []),
      urgent: urgent.flatMap(({ id, kind }) => {
        const key = keys.get(id)
        return key === undefined ? [] : { kind, key }
      }),
      lists: await readLists(tx, listsOf(resources), workspaceId, frame.nowMs),
    }
  })
  return { ...model, lists: await readInPlace(context, model.lists) }
}

/** Each key once, for its most urgent reason; those that are due first come first. The list of keys also has the unused ones. */
async function findUrgent(tx: Transaction, workspaceId: string, nowMs: number) {
  const ids = await urgentKeys(tx, workspaceId, nowMs)
  const keys = await evaluate(tx, await findKeys(tx, workspaceId, ids), nowMs)
  const reasons = new Map(keys.map(({ id, attention }) => [id, attention[0]]))
  const ofKind = (kind: AttentionKind) => ids.filter((id) => reasons.get(id) === kind).map((id) => ({ id, kind }))
  const urgent = attentionKinds.filter((kind) => kind !== 'unused')
  return urgent.flatMap(ofKind).slice(0, FINDINGS_SHOWN)
}

export interface OverviewModel {
  frame: PageFrame
  period: Period
  hasKeys: boolean
  /** The last 30, oldest first. */
  days: KeyDay[]
  /** The last 24, if they are shown. */
  hours: KeyDay[]
  /** In the last seven days, the busiest first. */
  busiest: KeyOverview[]
  /** Most urgent first. */
  urgent: { kind: AttentionKind; key: KeyOverview }[]
  lists: ShownList[]
}

export function overviewPage(model: OverviewModel): string {
  const { frame, hasKeys, lists } = model
  const { slug } = frame.workspace
  const isNew = !hasKeys && isEmpty(lists) && lists.every(({ sources }) => sources.length === 0)
  const parts = isNew
    ? {
        lead: 'Nothing reads this workspace yet, and there is nothing to read.',
        body: [emptyFinding(lists), emptyState(slug)],
      }
    : {
        actions: hasKeys && connectButton(slug),
        body: html`<div class="overview">${attentionPart(model)}
${usePart(model)}
${!hasKeys && emptyState(slug)}
<div class="parts">${busiestPart(model)}${listsPart(model)}</div></div>`,
      }
  return page(frame, { title: 'Overview', ...parts })
}

const SOURCES_SHOWN = 6

const section = (id: string, title: string, more: Part, body: Part): Html =>
  html`<section class="panel part" aria-labelledby="${id}"><div class="part-head"><h2 id="${id}">${title}</h2>${more}</div>${body}</section>`

const link = (href: string, text: string): Html => html`<a href="${href}">${text}</a>`

/** Leaked keys come first, then sources, because agents read stale data meanwhile. */
function attentionPart({ frame, urgent, lists, hasKeys }: OverviewModel): Html {
  const { slug } = frame.workspace
  const ofKeys = (isLeak: boolean) =>
    urgent
      .filter(({ kind }) => (kind === 'leaked') === isLeak)
      .map(
        ({ kind, key }) =>
          html`<li><span><a class="label" href="${paths.key(slug, key.id)}">${isolated(key.label)}</a> ${keyMark(key)}</span>${attentionNote(kind, key, frame)}</li>\n`,
      )
  const ofSources = lists
    .flatMap(({ sources }) => sources)
    .filter(needsAttention)
    .slice(0, SOURCES_SHOWN)
    .map(
      (source) =>
        html`<li><span><a class="label" href="${paths.sources(slug)}">Source ${isolated(source.name)}</a></span>${sourceNote(source, frame)}</li>\n`,
    )
  const ofLists = lists.flatMap(({ name, fault }) =>
    fault === null
      ? []
      : html`<li><span class="label">List ${name}</span><p class="note bad"><strong>Cannot be read.</strong> In place: ${breakable(fault)}. Ask the operator of this service.</p></li>\n`,
  )
  const findings = [...ofKeys(true), ...ofLists, ...ofSources, ...ofKeys(false)]
  const all = hasKeys && link(paths.keys(slug, { show: 'attention' }), 'Keys that need attention')
  if (findings.length > 0)
    return html`${section('attention', 'Needs attention', all, html`<ul class="findings">${findings}</ul>`)}${emptyFinding(lists)}`
  return emptyFinding(lists) ?? html`<p class="in-order">${icon('check')}<span>Nothing is urgent. ${all}</span></p>`
}

const emptyFinding = (lists: readonly ShownList[]): Html | null =>
  isEmpty(lists)
    ? noticeLine(
        'warn',
        html`<strong>This workspace is empty.</strong> Keys work, but there is nothing to read. ${fillingText(lists)}`,
      )
    : null

/** Above this share, refusals are an exception to look at. */
const MANY_REFUSED = 0.05

function usePart({ frame, days, hours, period }: OverviewModel): Html {
  const figure = (period: string, within: readonly KeyDay[]) => {
    const [count, refused] = [totalUse(within.map(requestsOn)), totalUse(within.map(refusedOn))]
    return html`<div class="${refused > count * MANY_REFUSED && 'warn'}"><dt>Requests, ${period}</dt><dd>${formatCount(count)}</dd><dd class="sub">${refused === 0 ? 'none refused' : `${formatCount(refused)} refused`}</dd></div>`
  }
  const shown = period === 1 ? hours : days.slice(-period)
  const periods = periodLinks(period, (days) => paths.overview(frame.workspace.slug, days))
  return html`<dl class="figures panel">${figure('today', days.slice(-1))}${figure('last 7 days', days.slice(-WEEK_DAYS))}${figure('last 30 days', days)}</dl>
${days.some((day) => requestsOn(day) > 0) && section('use', period === 1 ? 'Requests per hour' : 'Requests per day', periods, [barChart(shown), hoursHint(period), dayTable(shown)])}`
}

function busiestPart({ frame, busiest }: OverviewModel): Html {
  const { slug } = frame.workspace
  const lastWeek = (daily: readonly number[]) => totalUse(daily.slice(-WEEK_DAYS))
  const items = busiest.map((key) => {
    const refused = lastWeek(key.dailyRefused)
    return html`<li><span><a class="label" href="${paths.key(slug, key.id)}">${isolated(key.label)}</a><span class="sub">${keyMark(key)}</span></span>${sparkline({ dailyUse: key.dailyUse.slice(-WEEK_DAYS), dailyRefused: key.dailyRefused.slice(-WEEK_DAYS) }, frame)}<span class="number"><strong>${formatCount(lastWeek(key.dailyUse))}</strong><span class="sub">${refused > 0 && `${formatCount(refused)} refused`}</span></span></li>\n`
  })
  const none = 'No key was used in the last seven days.'
  const all = link(paths.keys(slug), 'All keys')
  return section('busiest', 'Busiest keys, last 7 days', all, lines(items, none))
}

/** A list of lines, each with a value at its end. */
const lines = (items: readonly Html[], none: string): Html =>
  items.length === 0 ? html`<p class="hint">${none}</p>` : html`<ul class="lines">${items}</ul>`

function listsPart({ frame, lists }: OverviewModel): Html {
  const items = lists.map((list) => {
    const origin = originOf(list)
    return html`<li><span><strong>${list.name}</strong>${origin && html`<span class="sub">${origin}</span>`}</span><span class="number">${rowCountText(list)}</span></li>\n${sourceLines(list, frame)}`
  })
  return section('lists', 'Lists', link(paths.sources(frame.workspace.slug), 'Sources'), lines(items, 'None.'))
}

function originOf(list: ShownList): Part {
  if (list.isInPlace) return list.fault === null ? 'Read in place' : html`<span class="bad">Cannot be read</span>`
  if (list.rowCount === 0) return fillingText([list])
  return list.sources.length === 0 && 'Imported'
}

function sourceLines({ sources }: ShownList, frame: PageFrame): Part {
  const active = sources.filter(({ state }) => state !== 'abandoned')
  // Those that need attention come first: the sort is stable.
  const shown = active.toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a))).slice(0, SOURCES_SHOWN)
  const more = active.length - shown.length
  const line = ({ name, syncedAt, state }: ShownSource) =>
    html`<li class="source"><span>${isolated(name)}</span><span class="number">${sourceState(state)}<span class="sub">${syncedAt === null ? 'never synced' : relativeTime(syncedAt, frame)}</span></span></li>\n`
  return [shown.map(line), more > 0 && html`<li class="source hint">and ${formatCount(more)} more</li>`]
}
