import type { KeyDetail } from '../../keys/overview.ts'
import type { LoggedRequest, RequestOutcome } from '../../keys/request-log.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { clip } from '../../lib/plain-text.ts'
import { catalogue } from '../../problems/catalogue.ts'
import { breakable, type Html, html, isolated } from '../html.ts'
import { keyTabPage } from '../keys/key/tabs.ts'
import { refusalText } from '../keys/use-charts.ts'
import { exportLinks, filterField, filterSelect, isFiltered, isValid, type LogModel, logParts } from '../layout/log.ts'
import { page } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { exactTime } from '../layout/time.ts'
import { paths, sitePaths } from '../paths.ts'

/** Times are in the workspace's timezone, such as 2026-11-15T03:12. */
export const requestFields = ['outcome', 'from', 'to', 'q'] as const
export type RequestField = (typeof requestFields)[number]

export interface RequestsModel extends LogModel<RequestField> {
  /** Null for the workspace's page, which lists the requests of all its `keys`. */
  key: KeyDetail | null
  keys: readonly { id: string; label: string; prefix: string }[]
  requests: readonly LoggedRequest[]
}

const LEAD =
  'What was requested, the outcome, and by whom. Arguments are recorded by name; their values and all bodies are never stored.'
const BOUNDS =
  'Each key keeps its newest 1,000 requests for at most 7 days; the service keeps 500,000 in all, and first drops those of the workspaces with the most. Requests appear here within seconds.'

export function requestsPage(model: RequestsModel): string {
  const { frame, key, fields, requests } = model
  const [slug, keyId] = [frame.workspace.slug, key?.id]
  const links = exportLinks((format) => paths.requests(slug, keyId, fields, format))
  const actions = isValid(model) && html`<p class="buttons">${links}</p>`
  const list = logParts(model, {
    what: 'requests',
    hrefOf: (before) => paths.requests(slug, keyId, { ...fields, before }),
    all: paths.requests(slug, keyId),
    searchPlaceholder: 'Request id, tool, path',
    filters: filterFields(model),
    table: requests.length === 0 ? null : requestTable(model),
    nothing: nothing(model),
    belowTable: html`<p class="hint bounds">${BOUNDS}</p>`,
  })
  if (key !== null) return keyTabPage(frame, key, 'requests', [html`<p class="lead">${LEAD}</p>`, actions, list])
  return page(frame, { title: 'Requests', lead: LEAD, actions, body: list })
}

const outcomeText: Record<RequestOutcome, string> = { ok: 'Succeeded', refused: 'Refused', failed: 'Failed' }

const filterFields = (model: RequestsModel): Html =>
  html`${filterSelect('outcome', 'Outcome', { '': 'All outcomes', ...outcomeText }, model.fields.outcome)}
${filterField(model, 'from', 'From', html` type="datetime-local"`)}
${filterField(model, 'to', 'To', html` type="datetime-local"`)}`

const nothing = (model: RequestsModel): Html =>
  isFiltered(model)
    ? html`<h2>No requests match</h2><p>Try another outcome or time. Search finds whole request ids, statuses, reasons and tools, and parts of paths.</p>`
    : html`<h2>No requests in the last 7 days</h2>`

function requestTable(model: RequestsModel): Html {
  const columns = ['Request', ...(model.key === null ? ['Key'] : []), 'Time', 'Outcome', 'Took', 'Caller']
  const rows = model.requests.map((each) => requestRow(each, model))
  return dataTable({ caption: 'Requests, newest first', className: 'request-log', columns, rows })
}

/** Callers choose their own names. */
const [AGENT_SHOWN, NAMES_SHOWN] = [60, 200]

function requestRow(request: LoggedRequest, { frame, key, keys }: RequestsModel): DataRow {
  const { requestId, operation, tool, arguments: names, ms, bytes, address, agent, omitted } = request
  const owner = keys.find(({ id }) => id === request.keyId)
  const ownerLink =
    owner === undefined
      ? html`<code>${request.keyId}</code>`
      : html`<a href="${paths.requests(frame.workspace.slug, owner.id)}">${isolated(owner.label)}</a> <code class="prefix">${owner.prefix}…</code>`
  return {
    head: html`<code>${breakable(tool ?? operation)}</code>${names !== null && names !== '' && html` <span class="faint">with ${isolated(clip(names.replaceAll(',', ', '), NAMES_SHOWN))}</span>`}<span class="sub"><code>${requestId}</code></span>`,
    cells: [
      ...(key === null ? [ownerLink] : []),
      exactTime(request.at, frame),
      outcomeCell(request),
      html`${ms < 1 ? 'under 1' : formatCount(Math.round(ms))} ms<span class="sub">${formatCount(bytes)} bytes</span>`,
      html`${address === null ? html`<span class="faint">Unknown</span>` : html`<code>${breakable(address)}</code>`}<span class="sub">${agent === null ? 'No User-Agent' : isolated(clip(agent, AGENT_SHOWN))}</span>`,
    ],
    notes: omitted === 0 ? [] : [omittedNote(omitted)],
  }
}

const omittedNote = (count: number): Html =>
  html`<p class="hint">${counted(count, 'request')} with this key after this one ${count === 1 ? 'is' : 'are'} missing: there were too many at once to record each.</p>`

const reasons: Record<string, string> = {
  ...refusalText,
  missing: 'no key in the Authorization header',
  damaged: 'with a damaged key',
  token_expired: 'with an expired token of the connection',
}

function outcomeCell({ status, code, refused }: LoggedRequest): Html {
  if (status === null)
    return html`<span class="pill paused">Disconnected</span><span class="sub">before the response</span>`
  const isMcpError = refused === null && code?.startsWith('-')
  const reason = isMcpError ? `${code}, HTTP ${status}` : refused === null ? code : (reasons[refused] ?? refused)
  const why =
    code !== null && Object.hasOwn(catalogue, code)
      ? html`<a href="${sitePaths.problem(code)}" target="_blank">${reason}</a>`
      : reason
  const tone = refused !== null ? 'expiring' : status >= 400 || code !== null ? 'failing' : 'live'
  return html`<span class="pill ${tone}">${isMcpError ? 'MCP error' : status}</span>${reason !== null && html`<span class="sub">${refused !== null && 'Refused: '}${why}</span>`}`
}
