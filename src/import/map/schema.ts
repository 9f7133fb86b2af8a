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

/** Every item is evaluated for every record. */
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
    'CSV columns by their case-insensitive names, or JSON pointers into a record, in which * matches every item of an array. The first one that is not empty is used.',
}

const lookupName = text('The name of the look-up that maps the value.')

const finding = {
  from: optional(from),
  split: optional(filledText('The separator between several values in one text.')),
  upTo: optional(filledText('Cuts a value before the last occurrence of this text.')),
  isEmail: flag('Keeps only values that are email addresses (true), or only values that are not (false).'),
  skip: optional(
    integer({ minimum: 0, maximum: 1000, description: 'How many values to skip, starting with the first.' }),
  ),
  lookup: lookupName,
  values: optional(
    mapOf(nullableString({ maxLength: LONGEST_VALUE }), {
      description: 'The replacement for each value, which is case-insensitive; null for none.',
    }),
  ),
  any: text('The replacement for any value: only its presence counts.', LONGEST_VALUE),
  otherwise: optional(
    nullableString({
      maxLength: LONGEST_VALUE,
      description:
        'The replacement for a value that is not in `values` or in the look-up, or is not a date in one of the formats; null for none. Without it, such a value is rejected.',
    }),
  ),
  join: text('Uses all values, joined with this text, instead of only the first.'),
  prefix: text('Added before the text, if there is one.'),
}

const filling = {
  ...finding,
  parts: list(
    object(finding, closed),
    'Instead of `from`: uses the first of these that is not empty or, with `join`, all of them.',
  ),
  default: text('Used if nothing is found; on its own, it is a constant.', LONGEST_VALUE),
  formats: list(
    string({ minLength: 1, maxLength: 100 }),
    'The formats of dates and times: iso, unix-ms, or tokens such as dd/MMM/yy h:mm a. The first that matches is used. Default: iso.',
  ),
  decimal: optional(
    string({
      enum: [',', '.'],
      description:
        'The decimal mark of the numbers. Thousands may be grouped by the other mark, spaces or apostrophes. Default: a point, and no groups.',
    }) as Field<',' | '.'>,
  ),
  dateOnly: flag('Whether a time means its whole day: like a date, it becomes the end of that day.'),
  truncate: flag('Whether a text over its limit is truncated, with … at its end. Otherwise it is rejected.'),
  hash: flag(
    'For the id of records without one: a short hash of the text. A number such as -2 is added for a text that occurred before.',
  ),
  number: flag('Uses the number of the record, from 1: an id for exports without one.'),
  required: flag('Whether one of the columns or members must be present, even if it is empty.'),
}

const fieldRule = {
  ...object(filling, closed),
  ...from,
  type: ['string', 'array', 'object'],
  description: 'How a field is filled: a short form with only `from`, or an object.',
} as unknown as Field<string | string[] | FieldRule>

const condition = object(
  {
    from,
    lookup: lookupName,
    is: list(string({ maxLength: LONGEST }), 'True if the value is one of these, ignoring case.', 1000),
    isEmpty: flag('True if nothing is found (true), or if something is found (false).'),
  },
  closed,
)

const lookup = object(
  {
    records: filledText('JSON pointer to an array in the same document.'),
    key: filledText('JSON pointer to the key of an item.'),
    value: filledText('JSON pointer to the value for the key.'),
  },
  closed,
)

const nextPage = object(
  {
    url: text('JSON pointer to the URL of the next page.'),
    token: text('JSON pointer to a token for the next page, instead of its URL.'),
    parameter: text('The query parameter for the token, or the variable of the GraphQL query.'),
    more: text('JSON pointer to a member that is true if there is a next page. Default: if there is a URL or token.'),
    total: text('JSON pointer to the number of records in all pages. A page that ends before it is not the last one.'),
    offset: text('JSON pointer to the number of records before this page. Default: none.'),
    offsetParameter: text(
      'The query parameter, or variable, for the number of records before the next page, while `total` is not reached and there is no URL or token.',
    ),
  },
  closed,
)

const properties = {
  $schema: text('The URL of this schema, for editors.'),
  description: text('A description for people.', LONGEST_VALUE),
  format: string({
    enum: ['csv', 'json'],
    description: 'The format that the map reads: CSV, or JSON in any of its layouts.',
  }) as Field<'csv' | 'json'>,
  locale: text('The language of month names, such as pt-BR or de. Default: en.', 35),
  records: text('JSON pointer to the array of records; without it, the document itself is the array.'),
  nextPage: optional({ ...nextPage, description: 'How a page leads to the next one, if it is fetched from a URL.' }),
  graphql: text('A query that is sent to the URL, which responds with the document.', LONGEST_VALUE),
  lookups: optional(mapOf(lookup, { description: 'Maps ids to names, from other arrays in the same document.' })),
  only: list(condition, 'Skips records for which one of these conditions is false.'),
  skipIf: list(condition, 'Skips records for which one of these conditions is true.'),
  fields: mapOf(fieldRule, { description: 'The rule for each field, by field name.' }),
}

export type FieldPart = Values<typeof finding>
export type FieldRule = Values<typeof filling>
export type Condition = Values<(typeof condition)['properties']>
export type MapFile = Values<typeof properties>

export const mapSchema = object(properties, closed)

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

export const fieldRulesOf = (map: MapFile) =>
  Object.keys(map.fields).map((field) => ({ field, rule: fieldRuleOf(map, field) as FieldRule }))

/** The fields that need at least one of their columns. */
export const neededColumns = (map: MapFile, requiredFields: readonly string[]) =>
  fieldRulesOf(map)
    .filter(({ field, rule }) => rule.required || (requiredFields.includes(field) && rule.default === undefined))
    .map(({ field, rule }) => ({ field, columns: columnsOfRule(rule) }))
    .filter(({ columns }) => columns.length > 0)
