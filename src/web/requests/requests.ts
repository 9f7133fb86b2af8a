import { isLogDay } from '../../audit/days.ts'
import { type SlicedLog, searchLog, slicesOf } from '../../audit/slices.ts'
import { keyNames } from '../../keys/records.ts'
import { type LoggedRequest, type RequestFilter, readRequests, requestOutcomes } from '../../keys/request-log.ts'
import { MINUTE_MS } from '../../lib/duration.ts'
import { isoOf } from '../../lib/instant.ts'
import { zoneNamed } from '../../lib/local-dates.ts'
import { REDACTED } from '../../lib/redact.ts'
import { exportFormats } from '../../lib/row-export.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { readKey } from '../keys/change.ts'
import { badAddress, exportName, fieldsIn, isValid } from '../layout/log.ts'
import { paths } from '../paths.ts'
import { fileResponse, htmlResponse, redirect } from '../responses.ts'
import { type RequestField, requestFields, requestsPage } from './requests-page.ts'

/** Keeps a page under 60 KB, whatever callers send. */
const PAGE = 25
/** In a longer log, the page offers to continue the search. */
const MAX_SEARCHED = 10_000

/** For one key, in a tab of its page, or for the whole workspace. */
export const showRequests: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, request, keyId } = context
  const key = keyId === undefined ? null : await readKey(context)
  const { fields, errors, log } = readFilter(context)
  const before = positionOf(request.query.get('before'))
  const { matches, next, isCut } = isValid({ errors })
    ? await searchLog(log, before, PAGE, MAX_SEARCHED)
    : { matches: [], next: null, isCut: false }
  const ids = [...new Set(matches.map((each) => each.keyId))]
  const keys = key === null ? await store.read((tx) => keyNames(tx, workspace.workspaceId, ids)) : []
  const older = next === null ? null : String(next)
  const model = { frame, key, keys, fields, errors, requests: matches, isFirst: before === null, older, isCut }
  return htmlResponse(isValid(model) ? 200 : 400, requestsPage(model))
}

/** POST keeps a pasted key out of URLs and logs. */
export const filterRequests: WorkspaceHandler = async ({ workspace, keyId }, form) =>
  redirect(paths.requests(workspace.slug, keyId, fieldsOf(form)))

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
    const { log, errors } = readFilter(context)
    if (!isValid({ errors })) throw badAddress()
    context.acquireSlot()
    const name = exportName(`${keyId ?? workspace.slug}-requests`, frame, format)
    return fileResponse(name, formats[format], slicesOf(log))
  }

function positionOf(text: string | null): number | null {
  if (!text) return null
  if (!/^\d{1,15}$/.test(text)) throw badAddress()
  return Number(text)
}

const fieldsOf = (sent: URLSearchParams) => fieldsIn(sent, requestFields)

function readFilter(context: WorkspaceContext) {
  const { request, store, workspace, frame, keyId } = context
  const fields = fieldsOf(context.draft ?? request.query)
  const outcome = requestOutcomes.find((each) => each === fields.outcome)
  if ((outcome ?? '') !== fields.outcome) throw badAddress()
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
  const filter = { nowMs: frame.nowMs, workspaceId, keyId, outcome, from, to }
  return { fields, errors, log: requestLog(store, filter, fields.q.toLowerCase()) }
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
