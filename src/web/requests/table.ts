import type { KeyDetail } from '../../keys/overview.ts'
import { refusalText } from '../../keys/refusals.ts'
import type { LoggedRequest } from '../../keys/request-log.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { clip } from '../../lib/plain-text.ts'
import { catalogue } from '../../problems/catalogue.ts'
import { breakable, type Html, html, isolated, type Part } from '../html.ts'
import { copyButton } from '../layout/field.ts'
import { inDays, type LogModel } from '../layout/log.ts'
import { factsList } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { clockTime, exactTime } from '../layout/time.ts'
import { paths, sitePaths } from '../paths.ts'

/** Times are in the workspace's timezone, such as 2026-11-15T03:12. */
export const requestFields = ['key', 'outcome', 'from', 'to', 'q'] as const
export type RequestField = (typeof requestFields)[number]

export interface RequestsModel extends LogModel<RequestField> {
  /** Null for the workspace's page, which lists the requests of all its `keys`. */
  key: KeyDetail | null
  keys: readonly { id: string; label: string; prefix: string }[]
  /** The keys to filter by. */
  offered: RequestsModel['keys']
  requests: readonly LoggedRequest[]
  /** Shown in full; undefined if it is no longer in the log. */
  open: LoggedRequest | null | undefined
  before: string | null
}

/** One line each, whose rest is in the detail. */
export function requestTable(model: RequestsModel): Html {
  const columns = ['Outcome', 'Time', 'Request', ...cellsBy(model, 'Key', 'Took', 'Caller')]
  const rows = inDays(
    model.requests,
    ({ at }) => at,
    (each) => requestRow(each, model),
    model.frame,
  )
  return dataTable({ caption: 'Requests, newest first', className: 'request-log', columns, numbers: ['Took'], rows })
}

/** Callers choose their own names. */
const [AGENT_SHOWN, NAMES_SHOWN] = [60, 200]

const addressOf = ({ frame, key, fields, before }: RequestsModel, request: string | null): string =>
  paths.requests(frame.workspace.slug, key?.id, { ...fields, before, request })

function requestRow(request: LoggedRequest, model: RequestsModel): DataRow {
  const { id, operation, tool, omitted } = request
  const names = namesOf(request)
  const { tone, status, reason } = outcomeOf(request)
  // One of two is shown: the detail is above the list, or beside it, where the row can stay in place.
  const to = (anchor: string, className = '') =>
    html`<a class="label ${className}" href="${addressOf(model, String(id))}#${anchor}">${tool ?? operation}</a>`
  return {
    className: id === model.open?.id ? 'open' : '',
    head: html`<span class="pill ${tone}">${status}</span>${reason !== null && html` <span class="faint">${reason}</span>`}`,
    cells: [
      clockTime(request.at, model.frame),
      html`<span id="r${id}" tabindex="-1">${to(`r${id}`, 'stays')}${to('request')}</span>${names !== null && html` <span class="faint">${isolated(names)}</span>`}`,
      ...cellsBy<Part>(model, keyLink(request, model, model.open !== null), tookText(request), callerOf(request)),
    ],
    notes: omitted === 0 ? [] : [omittedNote(omitted)],
  }
}

/** A key's own page leaves out the key. An open detail takes the room of the others. */
const cellsBy = <T>({ key, open }: RequestsModel, ofKey: T, took: T, caller: T): T[] => [
  ...(key === null ? [ofKey] : []),
  ...(open === null ? [took, caller] : []),
]

const callerOf = ({ agent, address }: LoggedRequest): Part =>
  agent !== null ? isolated(clip(agent, AGENT_SHOWN)) : (address ?? html`<span class="faint">Unknown</span>`)

const namesOf = ({ arguments: names }: LoggedRequest): string | null =>
  names === null || names === '' ? null : clip(names.replaceAll(',', ', '), NAMES_SHOWN)

const tookText = ({ ms }: LoggedRequest): string => `${ms < 1 ? '<1' : formatCount(Math.round(ms))} ms`

/** Leads to all requests of the key. */
function keyLink({ keyId }: LoggedRequest, { frame, keys }: RequestsModel, isShort = false): Html {
  const key = keys.find(({ id }) => id === keyId)
  return key === undefined
    ? html`<code>${keyId}</code>`
    : html`<a href="${paths.requests(frame.workspace.slug, keyId)}">${isolated(key.label)}</a>${isShort ? null : html` <code class="prefix">${key.prefix}…</code>`}`
}

const omittedNote = (count: number): Html =>
  html`<p class="hint">${counted(count, 'request')} with this key after this one ${count === 1 ? 'is' : 'are'} missing: there were too many at once to record each.</p>`

/** What was asked, by whom, from where, what came back, and why. */
export function requestDetail(request: LoggedRequest | undefined, model: RequestsModel): Html {
  const close = html`<a class="quiet" href="${addressOf(model, null)}${request !== undefined && `#r${request.id}`}">Close</a>`
  const section = (title: Part, body: Part) =>
    html`<section class="panel part" id="request" tabindex="-1" aria-labelledby="request-title"><div class="part-head"><h2 id="request-title">${title}</h2>${close}</div>${body}</section>`
  if (request === undefined) return section('Not in the log', html`<p>This request is no longer in the log.</p>`)
  const { operation, tool, requestId, address, agent, bytes, code } = request
  const { tone, status, reason, why } = outcomeOf(request)
  const names = namesOf(request)
  const facts = factsList([
    ['Outcome', html`<span class="pill ${tone}">${status}</span>${reason !== null && html` ${reason}`}`],
    why !== null && ['Why', why],
    code !== null &&
      Object.hasOwn(catalogue, code) && [
        'Problem',
        html`<a href="${sitePaths.problem(code)}" target="_blank">${code}</a>`,
      ],
    ['Time', exactTime(request.at, model.frame)],
    ['Request', html`<code>${breakable(operation)}</code>`],
    tool !== null && ['Tool', html`<code>${breakable(tool)}</code>`],
    names !== null && ['Arguments', isolated(names)],
    ['Key', keyLink(request, model)],
    ['Caller', agent === null ? 'No User-Agent' : isolated(agent)],
    ['Address', address === null ? 'Unknown' : html`<code>${breakable(address)}</code>`],
    ['Took', tookText(request)],
    ['Response', counted(bytes, 'byte')],
    ['Id', html`<code id="request-id">${requestId}</code> ${copyButton('request-id', 'Copy')}`],
  ])
  return section(breakable(tool ?? operation), facts)
}

const reasons: Record<string, string> = {
  ...refusalText,
  url: 'sent in a URL',
  token_expired: 'with an expired token of the connection',
}

function outcomeOf({ status, code, refused }: LoggedRequest) {
  if (status === null)
    return { tone: 'paused', status: 'Disconnected', reason: null, why: 'The client left before the response.' }
  if (refused !== null) return { tone: 'expiring', status, reason: reasons[refused] ?? refused, why: null }
  if (code?.startsWith('-')) return { tone: 'failing', status: 'MCP error', reason: code, why: `HTTP ${status}` }
  return { tone: status >= 400 || code !== null ? 'failing' : 'live', status, reason: code, why: null }
}
