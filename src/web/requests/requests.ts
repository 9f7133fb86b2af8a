import { isLogDay } from '../../audit/days.ts'
import { type SlicedLog, searchLog, slicesOf } from '../../audit/slices.ts'
import { keyNames, newestKeyNames } from '../../keys/records.ts'
import {
  type LoggedRequest,
  type RequestFilter,
  type RequestOutcome,
  readRequests,
  requestOutcomes,
} from '../../keys/request-log.ts'
import { MINUTE_MS } from '../../lib/duration.ts'
import { isoOf } from '../../lib/instant.ts'
import { zoneNamed } from '../../lib/local-dates.ts'
import { clip } from '../../lib/plain-text.ts'
import { REDACTED } from '../../lib/redact.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { type Html, html } from '../html.ts'
import { readKey } from '../keys/change.ts'
import { keyTabPage } from '../keys/key/tabs.ts'
import * as log from '../layout/log.ts'
import { page } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { fileResponse, htmlResponse, redirect } from '../responses.ts'
import { exportFormats } from '../row-export.ts'
import { type RequestField, type RequestsModel, requestDetail, requestFields, requestTable } from './table.ts'

/** Keeps a page under 60 KB, whatever callers send. */
const PAGE = 25
/** Of the newest keys; any other has its own page, with its requests. */
const MAX_KEYS_OFFERED = 50
const MAX_LABEL = 40
/** In a longer log, the page offers to continue the search. */
const MAX_SEARCHED = 10_000

/** For one key, in a tab of its page, or for the whole workspace. */
export const showRequests: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, request, keyId } = context
  const key = keyId === undefined ? null : await readKey(context)
  const { fields, errors, sliced } = readFilter(context)
  const before = positionOf(request.query.get('before'))
  const { matches, next, isCut } = log.isValid({ errors })
    ? await searchLog(sliced, before, PAGE, MAX_SEARCHED)
    : { matches: [], next: null, isCut: false }
  const id = positionOf(request.query.get('request'))
  const scope = { nowMs: frame.nowMs, workspaceId: workspace.workspaceId, keyId }
  const [open] = id === null ? [null] : await store.read((tx) => readRequests(tx, { ...scope, id }, { limit: 1 }))
  const ids = [...new Set([...matches, ...(open ? [open] : [])].map((each) => each.keyId)), fields.key]
  const keys = key === null ? await store.read((tx) => keyNames(tx, workspace.workspaceId, ids)) : [key]
  const newest =
    key === null ? await store.read((tx) => newestKeyNames(tx, workspace.workspaceId, MAX_KEYS_OFFERED)) : []
  const offered = [...newest, ...keys]
  const older = next === null ? null : String(next)
  const shown = { requests: matches, open, before: request.query.get('before'), isFirst: before === null, older, isCut }
  const model = { frame, key, keys, offered, fields, errors, ...shown }
  return htmlResponse(log.isValid(model) ? 200 : 400, requestsPage(model))
}

/** POST keeps a pasted key out of URLs and logs. */
export const filterRequests: WorkspaceHandler = async ({ workspace, keyId }, form) =>
  redirect(paths.requests(workspace.slug, keyId, sentFields(form)))

const COLUMNS = [
  ...(['at', 'requestId', 'keyId', 'operation', 'tool', 'arguments', 'status', 'code', 'refused'] as const),
  ...(['ms', 'bytes', 'address', 'agent', 'omitted'] as const),
]

const formats = exportFormats<LoggedRequest>(COLUMNS, (each) => COLUMNS.map((name) => each[name]))

export const exportRequests =
  (format: keyof typeof formats): WorkspaceHandler =>
  async (context) => {
    const { workspace, frame, keyId } = context
    if (keyId !== undefined) await readKey(context)
    const { sliced, errors } = readFilter(context)
    if (!log.isValid({ errors })) throw log.badAddress()
    context.acquireSlot()
    const name = log.exportName(`${keyId ?? workspace.slug}-requests`, frame, format)
    return fileResponse(name, formats[format], slicesOf(sliced))
  }

function positionOf(text: string | null): number | null {
  if (!text) return null
  if (!/^\d{1,15}$/.test(text)) throw log.badAddress()
  return Number(text)
}

const sentFields = (sent: URLSearchParams) => log.fieldsIn(sent, requestFields)

function readFilter(context: WorkspaceContext) {
  const { request, store, workspace, frame, keyId } = context
  const fields = sentFields(context.draft ?? request.query)
  const outcome = requestOutcomes.find((each) => each === fields.outcome)
  if ((outcome ?? '') !== fields.outcome || !/^\w*$/.test(fields.key)) throw log.badAddress()
  const from = instantIn(frame.timezone, fields.from)
  // The last minute is included.
  const to = instantIn(frame.timezone, fields.to, MINUTE_MS)
  const wrong = 'Enter a valid day and time, such as 2026-11-15T03:12.'
  const errors: Partial<Record<RequestField, string>> = {
    ...(fields.from !== '' && from === undefined && { from: wrong }),
    ...(fields.to !== '' && to === undefined && { to: wrong }),
    ...(from !== undefined && to !== undefined && from >= to && { to: 'The end is before the start. Swap them.' }),
    ...(fields.q.includes(REDACTED) && {
      q: 'This contains a key, or text that looks like one, so it was not searched for.',
    }),
  }
  const { workspaceId } = workspace
  const filter = { nowMs: frame.nowMs, workspaceId, keyId: keyId ?? (fields.key || undefined), outcome, from, to }
  return { fields, errors, sliced: requestLog(store, filter, fields.q.toLowerCase()) }
}

/** The end of a minute is the start of the next one, so a whole hour that the clocks repeat is included. */
function instantIn(timezone: string, local: string, afterMs = 0): string | undefined {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(`${local}Z`) : Number.NaN
  if (Number.isNaN(wall) || !isLogDay(local.slice(0, 10))) return undefined
  return isoOf(zoneNamed(timezone).instantOf(wall + afterMs))
}

/** `find` is a request id, status, reason, tool or part of an operation. Empty matches all. */
const requestLog = (
  store: WorkspaceContext['store'],
  filter: RequestFilter,
  find: string,
): SlicedLog<LoggedRequest, number> => ({
  isFiltered: find !== '',
  positionOf: ({ id }) => id,
  async read(before, limit) {
    const rows = await store.read((tx) => readRequests(tx, filter, { limit, before: before ?? undefined }))
    return { rows, matches: find === '' ? rows : rows.filter((row) => isMatch(row, find)) }
  },
})

const isMatch = ({ requestId, status, code, refused, tool, operation }: LoggedRequest, find: string): boolean =>
  [requestId, status, code, refused, tool].some((value) => String(value ?? '').toLowerCase() === find) ||
  operation.toLowerCase().includes(find)

const LEAD =
  'What was requested, the outcome, and by whom. Arguments are recorded by name; their values and all bodies are never stored.'
const BOUNDS =
  'Each key keeps its newest 1,000 requests for at most 7 days; the service keeps 500,000 in all, and first drops those of the workspaces with the most. Requests appear here within seconds.'

export function requestsPage(model: RequestsModel): string {
  const { frame, key, fields, requests } = model
  const [slug, keyId] = [frame.workspace.slug, key?.id]
  const links = log.exportLinks((format) => paths.requests(slug, keyId, fields, format))
  const actions = log.isValid(model) && html`<p class="buttons">${links}</p>`
  const list = log.logParts(model, {
    what: 'requests',
    hrefOf: (before) => paths.requests(slug, keyId, { ...fields, before }),
    all: paths.requests(slug, keyId),
    searchPlaceholder: 'Status, tool, reason, path, id',
    filters: filterFields(model),
    table: requests.length === 0 ? null : requestTable(model),
    detail: model.open === null ? null : requestDetail(model.open, model),
    nothing: nothing(model),
    belowTable: html`<p class="hint bounds">${BOUNDS}</p>`,
  })
  if (key !== null)
    return keyTabPage(frame, key, 'requests', [
      html`<div class="heading"><p class="lead">${LEAD}</p>${actions}</div>`,
      list,
    ])
  return page(frame, { title: 'Requests', lead: LEAD, actions, body: list })
}

const outcomeText: Record<RequestOutcome, string> = { ok: 'Succeeded', refused: 'Refused', failed: 'Failed' }

function filterFields(model: RequestsModel): Html {
  const keys = model.offered.map(({ id, label, prefix }) => [id, `${clip(label, MAX_LABEL)} (${prefix}…)`])
  return html`${model.key === null && log.filterSelect('key', 'Key', { '': 'All keys', ...Object.fromEntries(keys) }, model.fields.key)}
${log.filterSelect('outcome', 'Outcome', { '': 'All outcomes', ...outcomeText }, model.fields.outcome)}
${log.filterField(model, 'from', 'From', html` type="datetime-local"`)}
${log.filterField(model, 'to', 'To', html` type="datetime-local"`)}`
}

const nothing = (model: RequestsModel): Html =>
  log.isFiltered(model)
    ? html`<h2>No requests match</h2><p>Try another outcome or time. Search finds whole request ids, statuses, reasons and tools, and parts of paths.</p>`
    : html`<h2>No requests in the last 7 days</h2>`
