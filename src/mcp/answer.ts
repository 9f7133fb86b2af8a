import { InvalidPositionError } from '../database/keyset.ts'
import type { CountReading, Filters, PageReading, ReadingQueries, Total, Viewpoint } from '../database/queries.ts'
import { escapedJson } from '../lib/escaped-json.ts'
import type { Zone } from '../lib/zone.ts'
import type { Resource } from '../resources/define.ts'
import type { ListShape } from '../resources/list.ts'
import { readBoundedPage } from './bounded-page.ts'
import type { Untrusted } from './cached-result.ts'
import { datesIn } from './clock.ts'
import { changedCursor } from './cursor.ts'
import type { Question } from './question.ts'
import { untrustedMembers } from './untrusted-members.ts'

export type ListResource = Resource & { list: ListShape; readPage: NonNullable<Resource['readPage']> }

export const isList = (resource: Resource): resource is ListResource =>
  resource.list !== undefined && resource.readPage !== undefined

/** What a question about a list is answered with, beside the time and the etag. */
export interface Answer {
  /** Changes whenever anything in the whole answer does, pages that were not read included. */
  digest: string
  /** JSON from the comma before the first member to the end of the object, as Latin-1. */
  members: string
  untrusted: Untrusted
  until: number
}

/** Escaped for models, if the protocol version has that. */
type Show = (json: string) => string

const shownAs =
  (isForModels: boolean): Show =>
  (json) =>
    (isForModels ? escapedJson(Buffer.from(json)) : Buffer.from(json)).toString('latin1')

/** Reads one page, or counts. Undefined if the workspace has gone since the request was admitted. */
export class AnswerReader {
  readonly #resource: ListResource
  readonly #isForModels: boolean
  readonly #show: Show
  readonly #untrusted: Untrusted

  constructor(resource: ListResource, isForModels: boolean) {
    this.#resource = resource
    this.#isForModels = isForModels
    this.#show = shownAs(isForModels)
    this.#untrusted = untrustedMembers(resource)
  }

  async page(store: ReadingQueries, viewpoint: Viewpoint, question: Question): Promise<Answer | undefined> {
    const { list, readPage } = this.#resource
    const { request, cursorAt } = question
    const read = (part: typeof request) => readPage(store, viewpoint, part)
    const page = await (this.#isForModels ? readBoundedPage(list, request, read) : read(request)).catch(
      throwChangedCursor,
    )
    if (page === undefined) return undefined
    const suggestions = isNone(page.total) ? await this.#suggest(store, viewpoint, request.filters) : {}
    return this.#toPage(page, cursorAt(page.next), suggestions)
  }

  async counts(
    store: ReadingQueries,
    viewpoint: Viewpoint,
    { request: { filters } }: Question,
    by: string,
    zone: Zone,
  ): Promise<Answer | undefined> {
    const counts = await this.#resource.readCounts?.(store, viewpoint, { filters, by, dateOf: datesIn(zone) })
    if (counts === undefined) return undefined
    return this.#toCounts(counts, isNone(counts.total) ? await this.#suggest(store, viewpoint, filters) : {})
  }

  none(isCounted: boolean): Answer {
    return isCounted ? this.#toCounts(NO_COUNTS, {}) : this.#toPage(NO_ROWS, null, {})
  }

  #toPage({ rows, total, digest = '', until }: PageReading, nextCursor: string | null, suggestions: object): Answer {
    const { member } = this.#resource.list
    const paging = { ...totalMembers(total as Total), hasMore: nextCursor !== null, nextCursor }
    const { hint, untrusted } = this.#hint(suggestions)
    const members = `,${membersIn(paging)}${hint},"${member}":[${rows.toString('latin1')}]}`
    return { digest: digest + hint, members, untrusted: { ...this.#untrusted, ...untrusted }, until }
  }

  #toCounts({ total, overdue, groups, more, until }: CountReading, suggestions: object): Answer {
    const isDated = this.#resource.tool.days !== undefined
    const counts = isDated ? groups : groups.map(({ value, count }) => ({ value, count }))
    const { hint, untrusted } = this.#hint(suggestions)
    const counted = { ...totalMembers(total), ...(isDated && { overdue }), counts, more }
    const members = `,${this.#show(membersIn(counted))}${hint}}`
    return { digest: members, members, untrusted: { counts: ['value'], ...untrusted }, until }
  }

  #hint(suggestions: object): { hint: string; untrusted: Untrusted } {
    const names = Object.keys(suggestions)
    if (names.length === 0) return { hint: '', untrusted: {} }
    return { hint: `,"suggestions":${this.#show(JSON.stringify(suggestions))}`, untrusted: { suggestions: names } }
  }

  /** For each filter that matches nothing even without the others, the values that are nearest to it. */
  async #suggest(store: ReadingQueries, viewpoint: Viewpoint, filters: Filters): Promise<Record<string, unknown>> {
    const { suggests = [], suggest, readPage } = this.#resource
    const suggestions: Record<string, readonly string[]> = {}
    const isAlone = Object.keys(filters).length === 1
    for (const name of suggests) {
      const value = filters[name]
      if (typeof value !== 'string') continue
      const own = isAlone
        ? undefined
        : await readPage(store, viewpoint, { filters: { [name]: value }, limit: 1, fields: [], findNext: true })
      if (own !== undefined && (own.rows.length > 0 || own.next !== undefined)) continue
      const nearest = (await suggest?.(store, viewpoint, name, value)) ?? []
      if (nearest.length > 0) suggestions[name] = nearest
    }
    return suggestions
  }
}

const isNone = (total: Total | undefined) => total?.count === 0 && !total.isMinimum

const totalMembers = ({ count, isMinimum }: Total) => ({ total: count, ...(isMinimum && { totalIsMinimum: true }) })

const membersIn = (value: object): string => JSON.stringify(value).slice(1, -1)

const NO_TOTAL: Total = { count: 0, isMinimum: false }
const NO_ROWS: PageReading = { rows: Buffer.alloc(0), next: undefined, total: NO_TOTAL, digest: '', until: 0 }
const NO_COUNTS: CountReading = { total: NO_TOTAL, overdue: 0, groups: [], more: 0, until: 0 }

/** A forged cursor can have valid checksums and an invalid position. */
function throwChangedCursor(error: unknown): never {
  throw error instanceof InvalidPositionError ? changedCursor() : error
}
