import { type Fault, fault, within } from '../../lib/fault.ts'
import { isDecimalKind, isRequired } from '../../lists/column.ts'
import type { List, ListField } from '../../lists/definition.ts'
import { pointerFault, segmentsOf } from '../format/json-pointer.ts'
import { dateFormatFault, isKnownLocale } from './dates.ts'
import { type Condition, type FieldPart, type FieldRule, fieldRulesOf, type MapFile } from './schema.ts'
import { listOf } from './values.ts'

/** Checks a map that fits the schema against the list's fields, and its parts against each other. */
export function mapFaults(map: MapFile, list: List): Fault[] {
  const columns = new Map(list.fields.map((column) => [column.name, column]))
  const missing = [...columns.values()].filter(
    (column) => isRequired(column) && !Object.hasOwn(map.fields, column.name),
  )
  return [
    ...missing.flatMap(({ name }) => fault(`fields.${name}`, 'is required')),
    ...fieldRulesOf(map).flatMap(({ field, rule }) => {
      const column = columns.get(field)
      return column === undefined
        ? fault(`fields.${field}`, `is not a field of ${list.name}; they are ${[...columns.keys()].join(', ')}`)
        : within(`fields.${field}`, ruleFaults(rule, column, map))
    }),
    ...fault('locale', map.locale !== undefined && !isKnownLocale(map.locale) && 'must be a language, such as pt-BR'),
    ...placeFaults(map),
    ...pageFaults(map),
    ...(['only', 'skipIf'] as const).flatMap((list) =>
      (map[list] ?? []).flatMap((condition, i) => within(`${list}.${i}`, conditionFaults(condition, map))),
    ),
  ]
}

function ruleFaults(rule: FieldRule, column: ListField, map: MapFile): Fault[] {
  const { from, parts, formats = [], default: preset } = rule
  const isTime = column.kind === 'instant' || column.kind === 'date'
  const isId = column.name === 'id'
  const hasValue = from !== undefined || parts !== undefined || preset !== undefined
  return [
    ...fault('from', !hasValue && !rule.number && 'is required, unless there are parts or a default'),
    ...fault('parts', from !== undefined && parts !== undefined && 'cannot be combined with from'),
    ...fault('formats', !isTime && rule.formats !== undefined && 'is only for dates and times'),
    ...fault('dateOnly', !isTime && rule.dateOnly && 'is only for dates and times'),
    ...fault('decimal', !isDecimalKind(column) && rule.decimal !== undefined && 'is only for decimals and money'),
    ...fault('hash', !isId && rule.hash && 'is only for the id'),
    ...fault('truncate', (column.kind !== 'text' || isId) && rule.truncate && 'is only for texts, and not for ids'),
    ...fault('number', rule.number && !isId && 'is only for the id'),
    ...fault('number', rule.number && hasValue && 'cannot be combined with a value'),
    ...formats.flatMap((format, i) => fault(`formats.${i}`, dateFormatFault(format))),
    ...fault('default', meaningFault(preset, column)),
    ...partFaults(rule, column, map),
    ...(parts ?? []).flatMap((part, i) => within(`parts.${i}`, partFaults(part, column, map))),
  ]
}

const partFaults = (part: FieldPart, column: ListField, map: MapFile): Fault[] => [
  ...columnFaults(part, map),
  ...(['join', 'prefix'] as const).flatMap((name) =>
    fault(name, column.kind === 'texts' && part[name] !== undefined && 'is not for lists'),
  ),
  ...fault('any', meaningFault(part.any, column)),
  ...fault('otherwise', meaningFault(part.otherwise, column)),
  ...fault('values', part.any !== undefined && part.values !== undefined && 'cannot be combined with any'),
  ...Object.entries(part.values ?? {}).flatMap(([word, meaning]) =>
    fault(`values.${word}`, meaningFault(meaning, column)),
  ),
]

const conditionFaults = (condition: Condition, map: MapFile): Fault[] => [
  ...columnFaults(condition, map),
  ...fault('is', condition.is === undefined && condition.isEmpty === undefined && 'is required, unless isEmpty is set'),
]

function columnFaults({ from, lookup }: Pick<FieldPart, 'from' | 'lookup'>, map: MapFile): Fault[] {
  const pointers = map.format === 'json' ? listOf(from) : []
  const isUnknown = lookup !== undefined && !Object.hasOwn(map.lookups ?? {}, lookup)
  return [
    ...pointers.flatMap((pointer) => fault('from', pointerFault(pointer))),
    ...fault('lookup', isUnknown && 'is not one of the lookups'),
  ]
}

/** A field with choices accepts only those. */
function meaningFault(meaning: string | null | undefined, { kind, choices }: ListField) {
  const accepted = kind === 'boolean' ? ['true', 'false'] : choices
  return typeof meaning === 'string' && accepted?.includes(meaning) === false && `must be one of ${accepted.join(', ')}`
}

function placeFaults({ format, records, lookups = {} }: MapFile): Fault[] {
  const entries = Object.entries(lookups)
  if (format === 'csv')
    return [
      ...fault('records', records !== undefined && 'is only for JSON'),
      ...fault('lookups', entries.length > 0 && 'is only for JSON'),
    ]
  if (records === undefined) return fault('records', entries.length > 0 && 'is required if there are lookups')
  return [
    ...fault('records', arrayFault(records)),
    ...entries.flatMap(([name, { records: array, key, value }]) =>
      within(`lookups.${name}`, [
        ...fault('records', arrayFault(array)),
        ...fault('key', pointerFault(key)),
        ...fault('value', pointerFault(value)),
      ]),
    ),
  ]
}

/** Only a document leads to its next page. */
function pageFaults({ records, nextPage, graphql }: MapFile): Fault[] {
  const { url, token, parameter, more, total, offset, offsetParameter } = nextPage ?? {}
  const isByOffset = offsetParameter !== undefined
  const ways = [url, token].filter((way) => way !== undefined).length
  return [
    ...fault(
      'records',
      records === undefined && (nextPage ?? graphql) !== undefined && 'is required if pages are followed',
    ),
    ...within('nextPage', [
      ...fault('token', nextPage !== undefined && ways === 0 && !isByOffset && 'or url or offsetParameter is required'),
      ...fault('token', ways === 2 && 'cannot be combined with url'),
      ...fault(
        'total',
        (total === undefined) !== (offset === undefined) && 'is required with offset, and offset with it',
      ),
      ...fault('offsetParameter', isByOffset && total === undefined && 'requires total and offset'),
      ...fault('parameter', (token === undefined) !== (parameter === undefined) && 'is required with token'),
      ...[url, token, more, total, offset].flatMap((at) => fault('', at !== undefined && pointerFault(at))),
    ]),
  ]
}

const arrayFault = (pointer: string) =>
  pointerFault(pointer) ?? (segmentsOf(pointer).includes('*') && 'must point to one array, without *')
