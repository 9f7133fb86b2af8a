import { hash } from 'node:crypto'
import type { Filters, PageRequest, Position } from '../database/list-reader.ts'
import { toInstant } from '../lib/instant.ts'
import { parseJson } from '../lib/json-text.ts'
import type { Zone } from '../lib/zone.ts'
import type { Resource } from '../resources/define.ts'
import type { ResourceList } from '../resources/list.ts'
import type { Days, DaysWord } from '../resources/list-arguments.ts'
import { argumentsOf, type NormalisedArguments } from './arguments.ts'
import { instantOf, type Window, windowOf } from './clock.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'

/** A page of a list that a call asks for, and the cursor of the next one. */
export interface PageQuery {
  request: PageRequest
  cursorAt(next: Position | undefined): string | null
}

/** Turns dates and words such as `today` into instants. Throws an InvalidArgumentsError. */
export function queryReader(resource: Resource & { list: ResourceList }) {
  const { list, tool } = resource
  const { days, ranges = [] } = tool
  const pairs = days === undefined ? ranges : [...ranges, [days.from, days.to] as const]
  const moments = argumentsOf(resource)
    .filter(({ isMoment = false }) => isMoment)
    .map(({ name }) => name)
  return (workspaceId: string, args: NormalisedArguments, zone: Zone, now: number): PageQuery => {
    const { limit = list.table.listing.limit, cursor, fields, countBy: _, ...given } = args
    const filters = { ...given } as Record<string, Filters[string]>
    for (const name of moments) if (name in filters) filters[name] = instantOf(String(filters[name]), zone)
    // Uses instants, because the same dates select another list in another timezone.
    const scope: CursorScope = [workspaceId, tool.name, { ...filters }]
    const values = cursor === undefined ? undefined : decodeCursor(scope, cursor as string)
    for (const [from, before] of pairs) checkOrder(filters, from, before)
    const { window, followsDue } = resolveDays(filters, days, values, zone, now)
    const request: PageRequest = {
      filters,
      limit: limit as number,
      ...(values !== undefined && { after: values.slice(window.length) }),
      ...(fields !== undefined && { fields: [...list.always, ...(fields as readonly string[])] }),
      withTotal: true,
      ...(followsDue && { followsDue }),
    }
    const cursorAt: PageQuery['cursorAt'] = (next) =>
      next === undefined ? null : encodeCursor(scope, [...window, ...next])
    return { request, cursorAt }
  }
}

/** Replaces a word for days by its bounds. Later pages keep the first page's bounds, which their cursor begins with. */
function resolveDays(
  filters: Record<string, Filters[string]>,
  days: Days | undefined,
  values: Position | undefined,
  zone: Zone,
  now: number,
): { window: Window | []; followsDue: boolean } {
  if (days === undefined) return { window: [], followsDue: false }
  const { argument, from, to, none } = days
  const word = filters[argument] as DaysWord | undefined
  delete filters[argument]
  if (word === 'none') filters[none] = true
  if (word === undefined || word === 'none') return { window: [], followsDue: false }
  const window = values === undefined ? windowOf(word, zone, now) : ([values[0], values[1]] as Window)
  if (window[0] !== null) filters[from] = instantAt(window[0])
  if (window[1] !== null) filters[to] = instantAt(window[1])
  return { window, followsDue: values === undefined && (word === 'overdue' || word === 'next_7_days') }
}

/** A forged cursor can have valid checksums and any number. */
function instantAt(ms: unknown): string {
  const date = new Date(ms as number)
  const instant = typeof ms !== 'number' || Number.isNaN(date.getTime()) ? undefined : toInstant(date.toISOString())
  if (instant === undefined) throw changedCursor()
  return instant
}

function checkOrder(filters: Filters, from: string, before: string): void {
  const [first, last] = [filters[from], filters[before]]
  if (first !== undefined && last !== undefined && first >= last)
    throw new InvalidArgumentsError([{ argument: from, fix: `must be earlier than ${before}`, isMoment: true }])
}

export const changedCursor = () =>
  invalidCursor('is not a nextCursor of this list; give one exactly as it was returned, or leave it out to start over')

const invalidCursor = (fix: string) => new InvalidArgumentsError([{ argument: 'cursor', fix }])

/** A cursor holds two checksums and its values. None is secret: a forged cursor can only read its own workspace. */
const CHECKSUM_BYTES = 6
const VALUES_AT = 2 * CHECKSUM_BYTES

/** The page size and the fields may change from page to page, so they are left out. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

/** The values are a position, after the bounds of the days of the first page. */
export function encodeCursor(scope: CursorScope, values: Position): string {
  const [of, place] = [checksum(JSON.stringify(scope)), Buffer.from(JSON.stringify(values))]
  return Buffer.concat([of, checksum(Buffer.concat([of, place])), place]).toString('base64url')
}

/** Throws an InvalidArgumentsError for invalid text, or a cursor of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position {
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid base64url, so only a round trip proves that the text is well-formed.
  if (bytes.toString('base64url') !== text) throw changedCursor()
  const [of, place] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(VALUES_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, VALUES_AT).equals(checksum(Buffer.concat([of, place])))) throw changedCursor()
  if (!of.equals(checksum(JSON.stringify(scope))))
    throw invalidCursor('belongs to a call with other filters; repeat those with it, or leave it out to start over')
  return valuesIn(place)
}

/** Checksums can be forged, so the content may be anything. */
function valuesIn(place: Buffer): Position {
  const values = parseJson(place.toString())
  if (!Array.isArray(values) || !values.every(isPlaceValue)) throw changedCursor()
  return values
}

const isPlaceValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
