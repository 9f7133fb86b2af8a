/*
 * This folder drafts the definition of a resource from a sample file, for `vitrine resource new`.
 *
 *   sample       reads the first records of the file, by column; members of nested JSON objects are columns too
 *   column-type  finds the type of all values in a column, and how a map must read them
 *   names        turns the names of columns into field names
 *   table        drafts from the catalogue of a database, for a table that is read in place
 *   draft        chooses the id, order, filters, search and label, and puts the definition and its map together; then reads the
 *                sample by them, as an import would: this shows whether a map is needed, and provides the example
 *
 * Invariants: a draft has no faults that `vitrine resource check` would find, and can import the sample, or a note lists
 * which records cannot. At most 8 MiB or 10,000 records are read. Guesses that could be wrong are noted.
 */

import { isLonger } from '../../lib/checker.ts'
import { counted } from '../../lib/format-count.ts'
import { UTC } from '../../lib/local-dates.ts'
import { isPlainText } from '../../lib/plain-text.ts'
import type { Columns } from '../../lists/column.ts'
import { fieldsOf, publishedFields } from '../../lists/definition.ts'
import { definitionFaults } from '../../resources/declared/check.ts'
import { compileColumns } from '../../resources/declared/compile.ts'
import { type Definition, type FieldDefinition, MAX_FIELDS } from '../../resources/declared/definition.ts'
import { mapping } from '../map/mapping.ts'
import type { FieldRule, MapFile } from '../map/schema.ts'
import { textsOf } from '../map/values.ts'
import { type Interpretation, recordSchema, withoutMap } from '../record-schema.ts'
import { type ColumnType, columnTypeOf, type ExaminedColumn } from './column-type.ts'
import { nameFields, wordsOf } from './names.ts'
import type { FileSample } from './sample.ts'

export type Draft = ReturnType<typeof draftDefinition>

export interface DraftedField extends ExaminedColumn, ColumnType {
  name: string
  isNullable: boolean
}

const MAX_ID = 100
const ID_TYPE: ColumnType = { field: { type: 'text', maxLength: MAX_ID }, rule: {} }

export interface Wording {
  state: Definition['state']
  description: string
  id: string
  field(name: string, title: string): string
  tool: string
}

/** For a person to replace. */
export const placeholders = (name: string): Wording => ({
  state: 'draft',
  description: `Describe ${name}: what the list contains.`,
  id: `Describe id.`,
  field: (field, title) => `Describe ${field}${wordsOf(title).join() === wordsOf(field).join() ? '' : ` (${title})`}.`,
  tool: `Describe when to list ${name}.`,
})

interface Options {
  name: string
  singular: string
  wording?: Wording
  /** For a file without an id. By default a hash of its columns, which stays when other records change. */
  idRule?: FieldRule
}

export function draftDefinition(sample: FileSample, { name, singular, wording = placeholders(name), idRule }: Options) {
  const hasCurrency = sample.columns.some(({ title }) => wordsOf(title).includes('currency'))
  const columns = sample.columns.map((column): ExaminedColumn => {
    const texts = column.values.flatMap((value) => (Array.isArray(value) ? [] : textsOf(value)))
    return { ...column, texts, words: wordsOf(column.title) }
  })
  const idColumn = likelyId(columns, singular)
  const titles = columns.map(({ title }) => title)
  const names = nameFields(titles, singular, idColumn === undefined ? -1 : columns.indexOf(idColumn))
  const fields = columns
    .map((each, i): DraftedField => {
      const type = each === idColumn ? ID_TYPE : columnTypeOf(each, hasCurrency)
      const isNullable = each.values.some((value) => textsOf(value).length === 0)
      return { ...each, ...type, name: names[i] as string, isNullable }
    })
    // The id comes first, and needs a place if no column has it.
    .sort((a, b) => Number(b.name === 'id') - Number(a.name === 'id'))
    .slice(0, idColumn === undefined ? MAX_FIELDS - 1 : MAX_FIELDS)
  const map: MapFile = {
    format: sample.format,
    ...(sample.records !== undefined && { records: sample.records }),
    fields: {
      ...(idColumn === undefined && { id: idRule ?? hashOf(fields) }),
      ...Object.fromEntries(fields.map(ruleOf)),
    },
  }
  const shape = { name, singular, state: wording.state, ...shapeOf(fields, wording) }
  const { example, needsMap, problems } = readAsDrafted(sample, compileColumns(shape), map)
  return {
    definition: withinBounds({ ...shape, example }),
    /** Reads the sample, whatever its columns are called. */
    map,
    /** Whether an import of the sample needs the map. */
    needsMap,
    /** What was left out, and how ambiguous columns are read. */
    doubts: [...sample.notes, ...fields.flatMap(doubtAbout)],
    notes: [
      ...sample.notes,
      idColumn === undefined
        ? 'id: no column has a unique value in every record. The map creates ids from a hash of all columns, so a changed record becomes a new one. It is better to add a column with a stable id to the export.'
        : `id: ${idColumn.from}, which is different in every record`,
      ...fields.flatMap((field) => [...doubtAbout(field), ...choiceNote(field)]),
      ...(hasCurrency
        ? ['amounts are decimals, because the sample has a currency; money is in the currency of the workspace']
        : []),
      'example: the first record. The OpenAPI document shows it to everyone: replace what is personal or confidential.',
      ...problems,
    ],
  }
}

const doubtAbout = ({ name, doubt }: DraftedField) => (doubt === undefined ? [] : [`${name}: ${doubt}`])

const choiceNote = ({ name, field: { values } }: DraftedField) =>
  values === undefined
    ? []
    : [`${name}: a choice of the ${values.length} values in the sample; add others that may occur, or make it a text`]

const LIMITS = [100, 50, 20, 10, 5, 2, 1]

/** Leaves out filters that cannot be arguments, and lowers the limit if the rows may be long. */
export function withinBounds(definition: Definition): Definition {
  const faulty = new Set(definitionFaults(definition).map(({ field }) => field))
  const filters = definition.filters?.filter((_, i) => !faulty.has(`filters.${i}`))
  const { tool, example, ...others } = { ...definition, ...(filters !== undefined && { filters }) }
  const drafts = LIMITS.map((limit) => ({ ...others, limit, tool, example }))
  return drafts.find((draft) => definitionFaults(draft).length === 0) ?? { ...others, tool, example }
}

const ID_WORD = /^(?:code|id|key|no|nr|number|ref|reference|sku|slug|uuid)$/

/** By its name, or else the first column, or one of codes or addresses, if its values are short and all different. */
function likelyId(columns: readonly ExaminedColumn[], singular: string): ExaminedColumn | undefined {
  const unique = columns.filter(
    ({ values, texts }) =>
      texts.length === values.length &&
      new Set(texts).size === texts.length &&
      texts.every((text) => !isLonger(text, MAX_ID) && isPlainText(text)),
  )
  const likeliness = ({ words }: ExaminedColumn) => {
    if (words.length === 1 && (words[0] === 'id' || words[0] === 'key')) return 3
    if (!ID_WORD.test(words.at(-1) ?? '')) return 0
    return words.length === 1 || words[0] === singular ? 2 : 1
  }
  const [best] = unique.toSorted((a, b) => likeliness(b) - likeliness(a))
  if (best !== undefined && likeliness(best) > 0) return best
  return unique.find((column) => column === columns[0] || isCode(column))
}

const isCode = (column: ExaminedColumn): boolean =>
  column.texts.every((text) => !/\s/.test(text)) && ['text', 'email'].includes(columnTypeOf(column, false).field.type)

const hashOf = (fields: readonly DraftedField[]): FieldRule => ({
  from: fields.slice(0, 50).map(({ from }) => from),
  join: '\n',
  hash: true,
})

const ruleOf = ({ name, from, rule }: DraftedField): [string, string | FieldRule] => [
  name,
  Object.keys(rule).length === 0 ? from : { from, ...rule },
]

const LABEL = /^(?:description|label|name|subject|summary|title)$/
const RECORDED = /^(?:changed|created|modified|updated)$/
/** Rows can be sorted and filtered by texts that are not longer. */
export const MAX_SORTED = 200

export function shapeOf(
  fields: readonly DraftedField[],
  wording: Wording,
): Omit<Definition, 'name' | 'singular' | 'state' | 'example'> {
  const ofType = (...types: FieldDefinition['type'][]) =>
    fields.filter(({ field, name }) => name !== 'id' && types.includes(field.type))
  const isRepeated = ({ texts }: DraftedField) => texts.length >= 2 * new Set(texts).size
  const isShort = ({ field }: DraftedField) => (field.maxLength ?? 0) <= MAX_SORTED
  const texts = ofType('text')
  const label = texts.find(({ words }) => LABEL.test(words.at(-1) ?? '')) ?? texts[0]
  const dates = ofType('date', 'instant')
  const [first, ...otherDates] = dates.toSorted((a, b) => Number(isRecorded(a)) - Number(isRecorded(b)))
  const order = [first, label].filter((each) => each !== undefined).filter(isShort)
  const filters = [
    ...ofType('choice', 'boolean', 'email'),
    ...texts.filter((each) => isRepeated(each) && isShort(each)),
    ...otherDates,
  ]
  const namesOf = (each: readonly DraftedField[], most: number) => each.slice(0, most).map((one) => one.name)
  return {
    description: wording.description,
    fields: {
      ...(fields[0]?.name !== 'id' && { id: { type: 'text', maxLength: MAX_ID, description: wording.id } }),
      ...Object.fromEntries(fields.map((field) => definitionOf(field, wording))),
    },
    ...(order.length > 0 && { order: namesOf(order, 4) }),
    ...(filters.length > 0 && { filters: namesOf(filters, 10) }),
    ...(texts.length > 0 && { search: namesOf(texts, 5) }),
    ...(label !== undefined && { label: label.name }),
    tool: { description: wording.tool },
  }
}

/** A description is on one line. */
export const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu

const isRecorded = ({ words }: DraftedField): boolean => words.some((word) => RECORDED.test(word))

const definitionOf = (
  { name, title: given, field, isNullable }: DraftedField,
  wording: Wording,
): [string, FieldDefinition] => {
  const { type, ...limits } = field
  const title = given.replace(HIDDEN, ' ').slice(0, 100).toWellFormed()
  const description = wording.field(name, title)
  return [name, { type, ...limits, ...(isNullable && name !== 'id' && { nullable: true }), description }]
}

/** Reads the sample as an import would: as it is, or else with the map. */
function readAsDrafted(sample: FileSample, columns: Columns, map: MapFile) {
  const fields = fieldsOf(columns)
  const schema = recordSchema({ fields })
  const unmapped = sample.records === undefined ? outcomesOf(sample, withoutMap(schema)) : undefined
  const needsMap = unmapped === undefined || unmapped.some(({ problems }) => problems.length > 0)
  const outcomes = needsMap ? outcomesOf(sample, mapping(map, schema, UTC)) : unmapped
  const bad = outcomes.filter(({ problems }) => problems.length > 0)
  const [first] = bad
  const row = outcomes.find((outcome) => outcome.row !== undefined)?.row ?? {}
  return {
    needsMap,
    example: Object.fromEntries(publishedFields(fields).map(({ name }) => [name, row[name] ?? null])),
    problems:
      first === undefined
        ? []
        : [
            `${counted(bad.length, 'record')} cannot be imported yet; record ${first.at + 1}: ${first.problems.join('; ')}`,
          ],
  }
}

function outcomesOf({ header, raw }: FileSample, { ofHeader, ofJson }: Interpretation) {
  const { interpret, problems } = header === undefined ? { interpret: ofJson(), problems: [] } : ofHeader(header)
  if (interpret === undefined || problems.length > 0) return [{ at: 0, row: undefined, problems }]
  return raw.map((value, at) => ({ at, row: undefined, problems: [], ...interpret(value) }))
}
