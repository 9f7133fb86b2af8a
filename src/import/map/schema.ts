import {
  arrayOf,
  boolean,
  type Field,
  integer,
  mapOf,
  nullableString,
  object,
  optional,
  string,
  type Values,
} from '../../lib/schema.ts'
import { listOf } from './values.ts'

/** Each of them is looked at for every record. */
const MAX_LISTED = 50
const LONGEST = 500
const LONGEST_VALUE = 10_000

const filledText = (description: string) => string({ minLength: 1, maxLength: LONGEST, description })
const text = (description: string, maxLength = LONGEST) => optional(string({ maxLength, description }))
const flag = (description: string) => optional(boolean({ description }))
const list = <Value>(items: Field<Value>, description: string, maxItems = MAX_LISTED) =>
  optional(arrayOf(items, { maxItems, description }))
const closed = { additionalProperties: false }

const from: Field<string | string[]> = {
  type: ['string', 'array'],
  items: string({ maxLength: LONGEST }),
  maxItems: MAX_LISTED,
  minLength: 1,
  maxLength: LONGEST,
  description:
    'Columns of a CSV file, by their names in any case, or JSON pointers into a record, in which * stands for every item of an array. The first that is not empty is taken.',
}

const lookupName = text('The name of the look-up in which the value is a key.')

const finding = {
  from: optional(from),
  split: optional(filledText('What separates several values in one text.')),
  upTo: optional(filledText('A value ends before the last occurrence of this text.')),
  isEmail: flag('Whether a value counts only if it is an email address (true), or only if it is none (false).'),
  skip: optional(
    integer({ minimum: 0, maximum: 1000, description: 'As many values are left out, from the first on.' }),
  ),
  lookup: lookupName,
  values: optional(
    mapOf(nullableString({ maxLength: LONGEST_VALUE }), {
      description: 'What stands for each value, whatever its case; null for nothing.',
    }),
  ),
  any: text('What any value stands for: that something is there is what counts.', LONGEST_VALUE),
  otherwise: optional(
    nullableString({
      maxLength: LONGEST_VALUE,
      description:
        'What stands for a value that is not in `values`, not in the look-up, or no date in the formats; null for nothing. Without it, such a value is refused.',
    }),
  ),
  join: text('All values are taken, with this text between them, instead of the first.'),
  prefix: text('What comes before the text, if there is one.'),
  suffix: text('What comes after the text, if there is one.'),
}

const filling = {
  ...finding,
  parts: list(
    object(finding, closed),
    'Instead of `from`: the first of these that is not empty is taken; with `join`, all of them.',
  ),
  default: text('What is taken if nothing is found; alone, it is a constant.', LONGEST_VALUE),
  formats: list(
    string({ minLength: 1, maxLength: 100 }),
    'How dates and times are written: iso, unix, unix-ms, or tokens such as dd/MMM/yy h:mm a. The first that fits is taken. Without it: iso.',
  ),
  dateOnly: flag('Whether a time stands for its day: the end of that day is taken, as of a date.'),
  truncate: flag('Whether a text over its limit is cut, with … at its end. Otherwise it is refused.'),
  hash: flag('Whether a short hash stands for the text: an id for records that have none.'),
  unique: flag('Whether a text that was there before gets a number, such as -2. For ids.'),
  required: flag('Whether one of the columns, or one of the members, must be there, even if it is empty.'),
}

const fieldRule = {
  ...object(filling, closed),
  ...from,
  type: ['string', 'array', 'object'],
  description: 'How a field is fed: by `from` alone, or more exactly by an object.',
} as unknown as Field<string | string[] | FieldRule>

const condition = object(
  {
    from,
    lookup: lookupName,
    is: list(string({ maxLength: LONGEST }), 'It holds if the value is one of these, whatever its case.', 1000),
    isEmpty: flag('It holds if nothing is found (true), or something (false).'),
  },
  closed,
)

const lookup = object(
  {
    records: filledText('JSON pointer to an array in the same document.'),
    key: filledText('JSON pointer to the key of an item.'),
    value: filledText('JSON pointer to what the key stands for.'),
  },
  closed,
)

const properties = {
  $schema: text('The address of this schema, for editors.'),
  description: text('For people.', LONGEST_VALUE),
  format: string({
    enum: ['csv', 'json'],
    description: 'What the map reads: CSV, or JSON in any of its layouts.',
  }) as Field<'csv' | 'json'>,
  records: text('JSON pointer to the array of records; without it, the document is one.'),
  lookups: optional(mapOf(lookup, { description: 'Names for ids, from other arrays of the same document.' })),
  only: list(condition, 'Records of which one of these does not hold are left out.'),
  skipIf: list(condition, 'Records of which one of these holds are left out.'),
  fields: mapOf(fieldRule, { description: 'By the name of the field that is fed.' }),
}

export type Part = Values<typeof finding>
export type FieldRule = Values<typeof filling>
export type Condition = Values<(typeof condition)['properties']>
export type MapFile = Values<typeof properties>

export const mapSchema = object(properties, closed)

export const publishedMapSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Vitrine map',
  description: 'What the records of a file say of the fields of a resource. docs/maps.md explains it.',
  ...mapSchema,
}

/** A text or a list is short for `from`. */
export function fieldRuleOf({ fields }: MapFile, field: string): FieldRule | undefined {
  const rule = Object.hasOwn(fields, field) ? fields[field] : undefined
  return typeof rule === 'string' || Array.isArray(rule) ? { from: rule } : rule
}

/** CSV columns, or JSON pointers into a record. */
export const columnsOfRule = ({ from, parts = [] }: FieldRule): readonly string[] => [
  ...listOf(from),
  ...parts.flatMap((part) => listOf(part.from)),
]

export const rulesOf = (map: MapFile) =>
  Object.keys(map.fields).map((field) => ({ field, rule: fieldRuleOf(map, field) as FieldRule }))

export const columnsOf = (map: MapFile): string[] => [
  ...rulesOf(map).flatMap(({ rule }) => columnsOfRule(rule)),
  ...[...(map.only ?? []), ...(map.skipIf ?? [])].flatMap(({ from }) => listOf(from)),
]

/** The fields that need at least one of their columns. */
export const neededColumns = (map: MapFile, requiredFields: readonly string[]) =>
  rulesOf(map)
    .filter(({ field, rule }) => rule.required || (requiredFields.includes(field) && rule.default === undefined))
    .map(({ field, rule }) => ({ field, columns: columnsOfRule(rule) }))
    .filter(({ columns }) => columns.length > 0)
