import { importedColumns, isRequired, type Table } from '../../database/table.ts'
import type { Fault } from '../../lib/checker.ts'
import { dateFormatFault } from './date-format.ts'
import { pointerFault, segmentsOf } from './pointer.ts'
import type { Condition, Feed, MapFile, Part } from './schema.ts'
import { listOf } from './texts.ts'

type ImportedColumn = ReturnType<typeof importedColumns>[number]

/** What is wrong with a map that fits the schema: with the fields of the table, and with its own parts. */
export function mapFaults(map: MapFile, table: Table): Fault[] {
  const columns = new Map(importedColumns(table).map((column) => [column.field, column]))
  const missing = [...columns.values()].filter(
    (column) => isRequired(column) && !Object.hasOwn(map.fields, column.field),
  )
  return [
    ...missing.map(({ field }) => ({ field: `fields.${field}`, problem: 'is required' })),
    ...Object.entries(map.fields).flatMap(([field, feed]) => {
      const column = columns.get(field)
      const faults =
        column === undefined
          ? [{ field: '', problem: `is not a field of ${table.name}; they are ${[...columns.keys()].join(', ')}` }]
          : feedFaults(feedOf(feed), column, map)
      return within(`fields.${field}`, faults)
    }),
    ...placeFaults(map),
    ...(['only', 'skipIf'] as const).flatMap((list) =>
      (map[list] ?? []).flatMap((condition, i) => within(`${list}.${i}`, conditionFaults(condition, map))),
    ),
  ]
}

/** A rule that is no object names its sources alone. */
export const feedOf = (feed: string | string[] | Feed): Feed =>
  typeof feed === 'string' || Array.isArray(feed) ? { from: feed } : feed

function feedFaults(feed: Feed, column: ImportedColumn, map: MapFile): Fault[] {
  const { from, parts, formats = [], default: preset } = feed
  const isInstant = column.kind === 'instant'
  const refused: [isThere: boolean | undefined, member: keyof Feed, problem: string][] = [
    [
      from === undefined && parts === undefined && preset === undefined,
      'from',
      'is required, unless there are parts or a default',
    ],
    [from !== undefined && parts !== undefined, 'parts', 'cannot be there beside from'],
    [!isInstant && feed.formats !== undefined, 'formats', 'is for dates and times alone'],
    [!isInstant && feed.dateOnly, 'dateOnly', 'is for dates and times alone'],
    [
      (column.kind !== 'text' || column.field === 'id') && feed.truncate,
      'truncate',
      'is for texts alone, and not for ids',
    ],
    [column.field !== 'id' && feed.unique, 'unique', 'is for the id alone'],
  ]
  return [
    ...refused.flatMap(([isThere, field, problem]) => (isThere ? { field, problem } : [])),
    ...formats.flatMap((format, i) => named(`formats.${i}`, dateFormatFault(format))),
    ...named('default', meaningFault(preset, column)),
    ...partFaults(feed, column, map),
    ...(parts ?? []).flatMap((part, i) => within(`parts.${i}`, partFaults(part, column, map))),
  ]
}

const partFaults = (part: Part, column: ImportedColumn, map: MapFile): Fault[] => [
  ...sourceFaults(part, map),
  ...named('any', meaningFault(part.any, column)),
  ...named('otherwise', meaningFault(part.otherwise, column)),
  ...(part.any === undefined || part.values === undefined ? [] : named('values', 'cannot be there beside any')),
  ...Object.entries(part.values ?? {}).flatMap(([word, meaning]) =>
    named(`values.${word}`, meaningFault(meaning, column)),
  ),
]

function sourceFaults({ from, lookup }: Pick<Part, 'from' | 'lookup'>, map: MapFile): Fault[] {
  const pointers = map.format === 'json' ? listOf(from).map(pointerFault) : []
  const isKnown = lookup === undefined || Object.hasOwn(map.lookups ?? {}, lookup)
  return [
    ...pointers.flatMap((fault) => named('from', fault)),
    ...(isKnown ? [] : named('lookup', 'is not one of the lookups')),
  ]
}

/** A word that stands for a value of a choice must be one of its words. */
function meaningFault(meaning: string | null | undefined, { choices }: ImportedColumn): string | undefined {
  if (choices === undefined || meaning === null || meaning === undefined || choices.includes(meaning)) return undefined
  return `must be one of ${choices.join(', ')}`
}

const conditionFaults = (condition: Condition, map: MapFile): Fault[] => [
  ...sourceFaults(condition, map),
  ...(condition.is === undefined && condition.isEmpty === undefined
    ? named('is', 'is required, unless there is isEmpty')
    : []),
]

function placeFaults({ format, records, lookups = {} }: MapFile): Fault[] {
  const entries = Object.entries(lookups)
  if (format === 'csv')
    return [
      ...(records === undefined ? [] : named('records', 'is for JSON alone')),
      ...(entries.length === 0 ? [] : named('lookups', 'is for JSON alone')),
    ]
  if (entries.length > 0 && records === undefined) return named('records', 'is required where there are lookups')
  return [
    ...(records === undefined ? [] : named('records', placeFault(records))),
    ...entries.flatMap(([name, lookup]) =>
      within(`lookups.${name}`, [
        ...named(
          'records',
          placeFault(lookup.records) ??
            (isWithin(lookup.records, records ?? '') ? 'must not lie in or above the records' : undefined),
        ),
        ...named('key', pointerFault(lookup.key)),
        ...named('value', pointerFault(lookup.value)),
      ]),
    ),
    ...entries.flatMap(([name, { records: one }]) =>
      entries.some(([, { records: other }]) => one !== other && isWithin(one, other))
        ? named(`lookups.${name}.records`, 'must not lie in or above another array')
        : [],
    ),
  ]
}

const placeFault = (pointer: string): string | undefined =>
  pointerFault(pointer) ?? (segmentsOf(pointer).includes('*') ? 'must name one array, without *' : undefined)

/** Either in the other. */
function isWithin(one: string, other: string): boolean {
  const [a, b] = [segmentsOf(one), segmentsOf(other)]
  return a.slice(0, Math.min(a.length, b.length)).every((segment, i) => segment === b[i])
}

const named = (field: string, problem: string | undefined): Fault[] =>
  problem === undefined ? [] : [{ field, problem }]

const within = (name: string, faults: readonly Fault[]): Fault[] =>
  faults.map(({ field, problem }) => ({ field: field === '' ? name : `${name}.${field}`, problem }))
