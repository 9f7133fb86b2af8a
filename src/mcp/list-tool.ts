import type { Admission } from '../database/admission.ts'
import { isoOf } from '../lib/instant.ts'
import { localDate } from '../lib/local-dates.ts'
import type { CountRequest, ListCounts, ListReader, Moment, ReadScope, Suggestions, Total } from '../lists/query.ts'
import { ChangesUnknownError, InvalidPositionError } from '../lists/query.ts'
import type { ListResource } from '../resources/define.ts'
import { cachedName, cacheKeyOf, type ResponseCache } from '../resources/response-cache.ts'
import type { NormalisedArguments } from './arguments.ts'
import { type BoundedPage, longFields, readBoundedPage } from './bounded-page.ts'
import { unknownSince } from './changed-since.ts'
import { changedCursor } from './cursor.ts'
import { datesIn, endOfToday } from './dates.ts'
import { escapedJson } from './escaped-json.ts'
import { encodeEtag, etagScope } from './etag.ts'
import { createPageQueryBuilder, type PageQuery } from './page-query.ts'
import {
  CachedResult,
  joinMembers,
  type Latin1,
  membersIn,
  type ResultBytes,
  type ResultFormat,
  rowsMember,
  toMembers,
} from './result-bytes.ts'
import { type Untrusted, untrustedMembers } from './untrusted-members.ts'
import { NO_ZONE, type WorkspaceZone, workspaceZone } from './workspace-zone.ts'

/** What a query of a list returns, besides the time and the etag. */
interface Result {
  /** Changes whenever anything in the whole result does, even on pages that were not read. Undefined for changes. */
  digest: string | undefined
  /** When the first page was read. */
  moment: Moment
  members: Latin1
  untrusted: Untrusted
  until: number
}

/** What a result says besides its rows or counts. */
interface Hints {
  suggestions: Suggestions
  notFound: readonly string[]
}

/** Reads one page, or counts. */
function createListQuery(resource: ListResource, isForModels: boolean) {
  const { list } = resource
  const long = longFields(list)
  const isDated = resource.tool.days !== undefined
  const untrustedRows = untrustedMembers(resource)
  const untrustedInGroups = ['value', ...Object.values(list.groupLabels ?? {}).map(({ property }) => property)]

  /** Escaped for models, if the protocol version does that. */
  function show(value: object): Latin1 {
    const json = Buffer.from(JSON.stringify(value))
    return membersIn(isForModels ? escapedJson(json) : json)
  }

  async function run(
    reader: ListReader,
    scope: ReadScope,
    query: PageQuery,
    dateOf: CountRequest['dateOf'],
    by?: string,
  ): Promise<Result> {
    const { request, first } = query
    const { filters, changes } = request
    const readHints = async ({ total }: { total?: Total }): Promise<Hints> => ({
      suggestions: await reader.suggest(scope, filters, isNone(total)),
      notFound: filters.ids === undefined ? [] : await reader.missing(scope, filters.ids as readonly string[]),
    })
    if (by !== undefined) {
      const counts = await reader.counts(scope, { filters, by, dateOf })
      return toCounts(counts, await readHints(counts))
    }
    const readPage = (part: typeof request) => reader.page(scope, part)
    const reading = isForModels ? readBoundedPage(long, request, readPage) : readPage(request)
    const page = await reading.catch(throwInvalidArguments)
    const hints = changes === undefined ? await readHints(page) : NO_HINTS
    return toPage({ ...page, moment: first ?? page.moment }, query, hints)
  }

  const none = (isCounted: boolean): Result =>
    isCounted ? toCounts(NO_COUNTS, NO_HINTS) : toPage(NO_ROWS, NO_QUERY, NO_HINTS)

  function toPage(
    { rows, total, digest = '', gone, until, moment, next }: BoundedPage,
    { sinceMs, cursorAt }: Pick<PageQuery, 'sinceMs' | 'cursorAt'>,
    hints: Hints,
  ): Result {
    const nextCursor = cursorAt(next, moment)
    const since = sinceMs === undefined ? {} : { since: isoOf(sinceMs) }
    const paging = toMembers({ ...since, ...totalMembers(total as Total), hasMore: nextCursor !== null, nextCursor })
    const { hint, untrusted } = showHints(hints)
    const members = joinMembers(paging, hint, rowsMember(list.name, rows))
    const page = { digest: digest + hint, moment, members, untrusted: { ...untrustedRows, ...untrusted }, until }
    if (gone === undefined) return page
    const lost = show({ gone: gone.ids, ...(gone.isPartial && { goneIsPartial: true }) })
    return {
      ...page,
      digest: undefined,
      members: joinMembers(members, lost),
      untrusted: { ...page.untrusted, gone: ['id'] },
    }
  }

  function toCounts({ total, overdue, groups, more, until, moment }: ListCounts, hints: Hints): Result {
    const counts = isDated ? groups : groups.map(({ overdue: _, ...group }) => group)
    const { hint, untrusted } = showHints(hints)
    const members = joinMembers(show({ ...totalMembers(total), ...(isDated && { overdue }), counts, more }), hint)
    // The brace is part of the etags that clients have.
    return { digest: `${members}}`, moment, members, untrusted: { counts: untrustedInGroups, ...untrusted }, until }
  }

  function showHints({ suggestions, notFound }: Hints): { hint: Latin1; untrusted: Untrusted } {
    const names = Object.keys(suggestions)
    const hints = { ...(names.length > 0 && { suggestions }), ...(notFound.length > 0 && { notFound }) }
    if (Object.keys(hints).length === 0) return { hint: '' as Latin1, untrusted: {} }
    return { hint: show(hints), untrusted: names.length > 0 ? { suggestions: names } : {} }
  }

  return { run, none }
}

const isNone = (total: Total | undefined) => total?.count === 0 && !total.isMinimum

const totalMembers = ({ count, isMinimum }: Total) => ({ total: count, ...(isMinimum && { totalIsMinimum: true }) })

const NO_HINTS: Hints = { suggestions: {}, notFound: [] }
const NO_TOTAL: Total = { count: 0, isMinimum: false }
const NO_MOMENT: Moment = { revision: 0, ms: 0 }
const NO_ROWS: BoundedPage = { rows: [], next: undefined, total: NO_TOTAL, digest: '', until: 0, moment: NO_MOMENT }
const NO_COUNTS: ListCounts = { total: NO_TOTAL, overdue: 0, groups: [], more: 0, until: 0, moment: NO_MOMENT }
const NO_QUERY = { sinceMs: undefined, cursorAt: () => null }

/** A forged cursor can have valid checksums and an invalid position. */
function throwInvalidArguments(error: unknown): never {
  if (error instanceof InvalidPositionError) throw changedCursor()
  throw error instanceof ChangesUnknownError ? unknownSince(error.fromMs) : error
}

/** Queries a list, and formats the result for a protocol version. Cached results are sent with the current time. */
export function listTool(resource: ListResource, cache: ResponseCache, format: ResultFormat) {
  const { tool } = resource
  const toPageQuery = createPageQueryBuilder(resource)
  const name = `${format.version} ${tool.name}`
  const listQuery = createListQuery(resource, format.isForModels)
  // The digest of a long list does not show that its rows have a new field.
  const definition = resource.declaration?.definition ?? ''

  /** The important members come before the rows, in case a client cuts the text. */
  function toResult(key: string, scope: ReadScope, { timezone, zone }: WorkspaceZone, result: Result): CachedResult {
    // Words such as `today` mean other tasks on another day.
    const today = localDate(zone, scope.now)
    const covered = `${key}\n${timezone}\n${today}\n${result.digest}${definition}${scope.only ?? ''}`
    const whole = result.digest === undefined ? undefined : covered
    const etag = encodeEtag(etagScope(scope, tool.name, timezone), result.moment, whole)
    const members = joinMembers(toMembers({ localDate: today, timezone, etag }), result.members)
    return new CachedResult(format, format.textStart(result.untrusted), members, etag)
  }

  return async ({ ifNoneMatch, ...args }: NormalisedArguments, admission: Admission): Promise<ResultBytes> => {
    const key = cacheKeyOf(name, args)
    const cached = await cache.getOrRead(cachedName(resource, key), admission, async (store, scope) => {
      const { now } = scope
      const workspace = await workspaceZone(cache, admission)
      const { zone } = workspace
      const reader = resource.reader(store)
      const query = toPageQuery(scope, workspace, args)
      const result = await listQuery.run(reader, scope, query, datesIn(zone), args.countBy as string | undefined)
      // The result contains the local date.
      return { value: toResult(key, scope, workspace, result), until: Math.min(result.until, endOfToday(zone, now)) }
    })
    if (cached === undefined && args.changedSince !== undefined) throw unknownSince()
    const result = cached ?? toResult(key, admission, NO_ZONE, listQuery.none(args.countBy !== undefined))
    return result.bytesAt(admission.now, ifNoneMatch as string | undefined)
  }
}
