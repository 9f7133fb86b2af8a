import type { Admission } from '../database/admission.ts'
import { isoOf } from '../lib/instant.ts'
import { localDate } from '../lib/local-dates.ts'
import {
  ChangesUnknownError,
  type CountRequest,
  type Hints,
  type Moment,
  type ReadScope,
  type Total,
} from '../lists/query.ts'
import { emptyReader, type ListReader } from '../lists/reader.ts'
import type { ListResource } from '../resources/define.ts'
import { cachedName, cacheKeyOf, type ResponseCache } from '../resources/response-cache.ts'
import type { NormalisedArguments } from './arguments.ts'
import { boundedPage, longFields } from './bounded-page.ts'
import { unknownSince } from './changed-since.ts'
import { datesIn, endOfToday } from './dates.ts'
import { escapedJson } from './escaped-json.ts'
import { encodeEtag, etagScope } from './etag.ts'
import { createPageQueryBuilder, type PageQuery } from './page-query.ts'
import { CachedResult, membersIn, type ResultBytes, type ResultFormat, toMembers } from './result-bytes.ts'
import { type Untrusted, untrustedMembers } from './untrusted-members.ts'
import { NO_ZONE, type WorkspaceZone, workspaceZone } from './workspace-zone.ts'

/** What a query of a list returns, besides the time and the etag. */
interface Result {
  /** Changes whenever anything in the whole result does, even on pages that were not read. Undefined for changes. */
  digest: string | undefined
  /** When the first page was read. */
  moment: Moment
  members: string
  untrusted: Untrusted
  until: number
}

/** Reads one page, or counts. */
function createListQuery(resource: ListResource, isForModels: boolean) {
  const { list } = resource
  const long = longFields(list)
  const isDated = resource.tool.days !== undefined
  const untrustedRows = untrustedMembers(resource)
  const untrustedInGroups = ['value', ...Object.values(list.groupLabels ?? {}).map(({ property }) => property)]

  /** Escaped for models, if the protocol version does that. */
  const show = (value: object): string =>
    isForModels ? membersIn(escapedJson(JSON.stringify(value))) : toMembers(value)

  async function page(reader: ListReader, scope: ReadScope, query: PageQuery): Promise<Result> {
    const { request, first, sinceMs, cursorAt } = query
    const read = await reader.page(scope, request)
    const { rows, total, digest = '', hints, gone, until, next } = isForModels ? boundedPage(long, request, read) : read
    const moment = first ?? read.moment
    const nextCursor = cursorAt(next, moment)
    const since = sinceMs === undefined ? {} : { since: isoOf(sinceMs) }
    const paging = toMembers({ ...since, ...totalMembers(total), hasMore: nextCursor !== null, nextCursor })
    const members = `,"${list.name}":[${rows}]`
    if (gone !== undefined) {
      const lost = show({ gone: gone.ids, ...(gone.isPartial && { goneIsPartial: true }) })
      const untrusted = { ...untrustedRows, gone: ['id'] }
      return { digest: undefined, moment, members: paging + members + lost, untrusted, until }
    }
    const hinted = showHints(hints)
    return {
      ...{ digest: digest + hinted.members, moment, until },
      members: paging + hinted.members + members,
      untrusted: { ...untrustedRows, ...hinted.untrusted },
    }
  }

  async function counts(reader: ListReader, scope: ReadScope, request: CountRequest): Promise<Result> {
    const { total, overdue, groups, more, until, moment, hints } = await reader.counts(scope, request)
    const hinted = showHints(hints)
    const shown = isDated ? groups : groups.map(({ overdue: _, ...group }) => group)
    const members = show({ ...totalMembers(total), ...(isDated && { overdue }), counts: shown, more }) + hinted.members
    const untrusted = { counts: untrustedInGroups, ...hinted.untrusted }
    return { digest: members, moment, members, untrusted, until }
  }

  function showHints({ suggestions, notFound }: Hints = { suggestions: {}, notFound: [] }) {
    const names = Object.keys(suggestions)
    const shown = { ...(names.length > 0 && { suggestions }), ...(notFound.length > 0 && { notFound }) }
    return {
      members: Object.keys(shown).length === 0 ? '' : show(shown),
      untrusted: names.length > 0 ? { suggestions: names } : {},
    }
  }

  return { page, counts }
}

const totalMembers = ({ count, isMinimum }: Total = { count: 0, isMinimum: false }) => ({
  total: count,
  ...(isMinimum && { totalIsMinimum: true }),
})

/** Queries a list, and formats the result for a protocol version. Cached results are sent with the current time. */
export function listTool(resource: ListResource, cache: ResponseCache, format: ResultFormat) {
  const { list, tool } = resource
  const toPageQuery = createPageQueryBuilder(resource)
  const name = `${format.version} ${tool.name}`
  const { page, counts } = createListQuery(resource, format.isForModels)
  const unavailable = emptyReader(list)
  // The digest of a long list does not show that its rows have a new field.
  const definition = resource.declaration?.definition ?? ''

  /** The important members come before the rows, in case a client cuts the text. */
  function toResult(key: string, scope: ReadScope, { timezone, zone }: WorkspaceZone, result: Result): CachedResult {
    // Words such as `today` mean other tasks on another day.
    const today = localDate(zone, scope.now)
    const covered = `${key}\n${timezone}\n${today}\n${result.digest}${definition}${scope.only ?? ''}`
    const whole = result.digest === undefined ? undefined : covered
    const etag = encodeEtag(etagScope(scope, tool.name, timezone), result.moment, whole)
    const members = toMembers({ localDate: today, timezone, etag }) + result.members
    return new CachedResult(format, format.textStart(result.untrusted), members, etag)
  }

  return async ({ ifNoneMatch, ...args }: NormalisedArguments, admission: Admission): Promise<ResultBytes> => {
    const key = cacheKeyOf(name, args)
    const read = async (reader: ListReader, workspace: WorkspaceZone) => {
      const { zone } = workspace
      const query = toPageQuery(admission, workspace, args)
      const { filters } = query.request
      const by = args.countBy as string | undefined
      const reading =
        by === undefined
          ? page(reader, admission, query)
          : counts(reader, admission, { filters, by, dateOf: datesIn(zone) })
      const result = await reading.catch(throwUnknownSince)
      // The result contains the local date.
      const until = Math.min(result.until, endOfToday(zone, admission.now))
      return { value: toResult(key, admission, workspace, result), until }
    }
    const cached = await cache.getOrRead(cachedName(resource, key), admission, async (store) =>
      read(resource.reader(store), await workspaceZone(cache, admission)),
    )
    if (cached === undefined && args.changedSince !== undefined) throw unknownSince()
    const result = cached ?? (await read(unavailable, NO_ZONE)).value
    return result.bytesAt(admission.now, ifNoneMatch as string | undefined)
  }
}

function throwUnknownSince(error: unknown): never {
  throw error instanceof ChangesUnknownError ? unknownSince(error.fromMs) : error
}
