/*
 * This folder reads exports from other tools. A map is a JSON file that describes such an export: which column or JSON pointer
 * fills which field, what status names mean, how dates are written. docs/maps.md is the manual, and `../maps` contains the
 * built-in maps. No code is specific to a tool: if a map cannot express something, the map language is extended.
 *
 *   load-map     finds a map by name or path, and checks it: its shape by `schema`, its meaning by `check-map`
 *   mapping      compiles the map for one file, and turns each record into a row
 *   field-rule   compiles the rule for one field: extracts a text (finds the values, splits them, looks them up, translates
 *                them, joins them), then hashes, numbers, parses or truncates it
 *   values       turns values into text; ../format/json-pointer finds them in JSON
 *   dates        parses dates and times in the formats that a map lists
 *   report       the first record, unknown values and defaults, for --dry-run
 *
 * A map is compiled once per file, because a file has many records. For JSON, that is possible immediately. For CSV, the header
 * is read first, and columns become indexes. Each rule becomes a function from a record to a text; the texts then go through
 * the same checks as any import record.
 *
 * Invariants:
 * - Nothing is guessed, and nothing is dropped silently. An unknown value is rejected with its line, unless the map has
 *   `otherwise`: then the report counts it. A text that is too long is rejected, unless the map has `truncate`.
 * - In a document, look-ups are built before the first record is mapped, wherever their arrays are.
 * - The same file, map and timezone produce the same rows. Dates and local times are in the workspace's timezone.
 * - Names in a file are data: only a value's own members are found, and `__proto__` is a name like any other.
 *
 * Risks: if a tracker renames a column, every task looks open; `required` makes that an error. `hash` numbers records
 * with the same text by their order, so removing one changes the ids of those after it. 03/04/2026 matches two formats, and only
 * the dry run shows which one was used.
 */

import { isObject } from '../../lib/checker.ts'
import type { Zone } from '../../lib/zone.ts'
import type { Row } from '../../lists/column.ts'
import { pointerFinder } from '../format/json-pointer.ts'
import { type Header, type Interpret, type Interpretation, idOf, type RecordSchema } from '../record-schema.ts'
import type { Extract, MapContext } from './field-rule.ts'
import { compileFieldRule } from './field-rule.ts'
import type { MapReport } from './report.ts'
import { type Condition, columnsOfRule, type FieldRule, fieldRuleOf, type MapFile, neededColumns } from './schema.ts'
import { fold, listOf, textsOf } from './values.ts'

export function mapping(map: MapFile, schema: RecordSchema, zone: Zone, report?: MapReport): Interpretation {
  const shared: Pick<MapContext, 'seen' | 'records'> = { seen: new Map(), records: { count: 0 } }
  const compile = (finderOf: MapContext['finderOf'], lookups?: Lookups): Interpret => {
    const lookUp: MapContext['lookUp'] = (name, key) => lookups?.get(name)?.get(key)
    return compileRecord(map, schema, { finderOf, lookUp, zone, locale: map.locale, report, ...shared })
  }
  return {
    ofJson: (document) => {
      return compile(pointerFinder, lookupsIn(document, map))
    },
    // Column names are case-insensitive; a repeated column has several values.
    ofHeader: (names): Header => {
      const indexes = Map.groupBy(names.keys(), (i) => fold(names[i] ?? ''))
      const problems = neededColumns(map, schema.requiredFields)
        .filter(({ columns }) => !columns.some((column) => indexes.has(fold(column))))
        .map(({ field, columns }) => `there is no column ${columns.join(' or ')}, which fills the field ${field}`)
      if (problems.length > 0) return { problems }
      const interpret = compile((column) => {
        const at = indexes.get(fold(column))
        return at && ((cells) => at.map((i) => (cells as string[])[i]))
      })
      return { problems, interpret }
    },
  }
}

function compileRecord(map: MapFile, schema: RecordSchema, context: MapContext): Interpret {
  const isLeftOut = compileConditions(map, context)
  const rules = schema.columns.flatMap((column) => {
    const { name: field } = column
    const rule = fieldRuleOf(map, field)
    if (rule === undefined) return []
    const extract = compileFieldRule(field, rule, column, context)
    const mustBeThere = rule.required && map.format === 'json'
    return { field, extract: mustBeThere ? ifPresent(rule, extract, context) : extract }
  })
  return (value) => {
    if (isLeftOut(value)) return undefined
    const record: Row = {}
    const problems: string[] = []
    for (const { field, extract } of rules) {
      const fieldProblems: string[] = []
      const text = extract(value, fieldProblems)
      if (text !== undefined) record[field] = schema.fromText(field, text)
      for (const problem of fieldProblems) problems.push(`${field} ${problem}`)
    }
    if (problems.length > 0) return { problems, id: idOf(record) }
    const outcome = schema.toRow(record)
    if (context.report !== undefined && 'row' in outcome) context.report.first ??= outcome.row
    return outcome
  }
}

/** Every record is checked for a required member; only the header is checked for a required column. */
function ifPresent(rule: FieldRule, extract: Extract, { finderOf }: MapContext): Extract {
  const pointers = columnsOfRule(rule)
  const finders = pointers.flatMap((pointer) => finderOf(pointer) ?? [])
  return (record, problems) => {
    if (finders.some((find) => find(record).length > 0)) return extract(record, problems)
    problems.push(`cannot be read: the record has no ${pointers.join(' or ')}`)
    return undefined
  }
}

function compileConditions({ only = [], skipIf = [] }: MapFile, context: MapContext) {
  const needed = only.map((condition) => compileCondition(condition, context))
  const unwanted = skipIf.map((condition) => compileCondition(condition, context))
  return (record: unknown) => !needed.every((holds) => holds(record)) || unwanted.some((holds) => holds(record))
}

/** One matching value is enough. */
function compileCondition({ from, lookup, is, isEmpty }: Condition, { finderOf, lookUp }: MapContext) {
  const finders = listOf(from).flatMap((column) => finderOf(column) ?? [])
  const words = is && new Set(is.map(fold))
  return (record: unknown): boolean => {
    const texts = finders
      .flatMap((find) => find(record))
      .flat()
      // An object counts as a text, so that a condition can test whether it is present.
      .flatMap((value) => (isObject(value) ? 'object' : textsOf(value)))
      .map((text) => (lookup === undefined ? text : lookUp(lookup, text)))
      .filter((text) => text !== undefined)
    if (isEmpty !== undefined && isEmpty !== (texts.length === 0)) return false
    return words === undefined || texts.some((text) => words.has(fold(text)))
  }
}

type Lookups = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Maps ids to texts, from the items of other arrays in the same document. */
const lookupsIn = (document: unknown, { lookups = {} }: MapFile): Lookups =>
  new Map(
    Object.entries(lookups).map(([name, { records, key, value }]) => {
      const [findKey, findValue] = [textFinder(key), textFinder(value)]
      const entries = pointerFinder(`${records}/*`)(document).flatMap((item) => {
        const [id, text] = [findKey(item), findValue(item)]
        return id === undefined || text === undefined ? [] : [[id, text] as const]
      })
      return [name, new Map(entries)]
    }),
  )

function textFinder(pointer: string): (item: unknown) => string | undefined {
  const find = pointerFinder(pointer)
  return (item) => find(item).flatMap((value) => textsOf(value))[0]
}
