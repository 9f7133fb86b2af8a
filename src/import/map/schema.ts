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

/** More than any export needs; each is looked at for every record. */
const MAX_LISTED = 50
const LONGEST = 500

const from: Field<string | string[]> = {
  type: ['string', 'array'],
  items: string({ maxLength: LONGEST }),
  maxItems: MAX_LISTED,
  minLength: 1,
  maxLength: LONGEST,
  description:
    'Columns of a CSV file, by their names in any case, or JSON pointers into a record, in which * stands for every item of an array. The first that is not empty is taken.',
}

/** How values are found in a record. */
const finding = {
  from: optional(from),
  split: optional(
    string({ minLength: 1, maxLength: LONGEST, description: 'What separates several values in one text.' }),
  ),
  upTo: optional(
    string({ minLength: 1, maxLength: LONGEST, description: 'A value ends before the last occurrence of this text.' }),
  ),
  isEmail: optional(
    boolean({
      description: 'Whether a value counts only if it is an email address (true), or only if it is none (false).',
    }),
  ),
  skip: optional(
    integer({ minimum: 0, maximum: 1000, description: 'As many values are left out, from the first on.' }),
  ),
  lookup: optional(string({ maxLength: LONGEST, description: 'The name of the look-up in which the value is a key.' })),
  values: optional(
    mapOf(nullableString({ maxLength: 10_000 }), {
      description: 'What stands for each value, whatever its case; null for nothing.',
    }),
  ),
  any: optional(
    string({ maxLength: 10_000, description: 'What any value stands for: that something is there is what counts.' }),
  ),
  otherwise: optional(
    nullableString({
      maxLength: 10_000,
      description:
        'What stands for a value that is not in `values`, not in the look-up, or no date in the formats; null for nothing. Without it, such a value is refused.',
    }),
  ),
  join: optional(
    string({
      maxLength: LONGEST,
      description: 'All values are taken, with this text between them, instead of the first.',
    }),
  ),
  prefix: optional(string({ maxLength: LONGEST, description: 'What comes before the text, if there is one.' })),
  suffix: optional(string({ maxLength: LONGEST, description: 'What comes after the text, if there is one.' })),
}

const part = object(finding, { additionalProperties: false })

const feeding = {
  ...finding,
  parts: optional(
    arrayOf(part, {
      maxItems: MAX_LISTED,
      description: 'Instead of `from`: the first of these that is not empty is taken; with `join`, all of them.',
    }),
  ),
  default: optional(
    string({ maxLength: 10_000, description: 'What is taken if nothing is found; alone, it is a constant.' }),
  ),
  formats: optional(
    arrayOf(string({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_LISTED,
      description:
        'How dates and times are written: iso, unix, unix-ms, or tokens such as dd/MMM/yy h:mm a. The first that fits is taken. Without it: iso.',
    }),
  ),
  dateOnly: optional(
    boolean({ description: 'Whether a time stands for its day: the end of that day is taken, as of a date.' }),
  ),
  truncate: optional(
    boolean({ description: 'Whether a text over its limit is cut, with … at its end. Otherwise it is refused.' }),
  ),
  hash: optional(
    boolean({ description: 'Whether a short hash stands for the text: an id for records that have none.' }),
  ),
  unique: optional(
    boolean({ description: 'Whether a text that was there before gets a number, such as -2. For ids.' }),
  ),
  required: optional(
    boolean({
      description: 'Whether one of the columns, or one of the members, must be there, even if it is empty.',
    }),
  ),
}

const feed = {
  ...object(feeding, { additionalProperties: false }),
  ...from,
  type: ['string', 'array', 'object'],
  description: 'How a field is fed: by `from` alone, or more exactly by an object.',
} as unknown as Field<string | string[] | Feed>

const condition = object(
  {
    from,
    lookup: optional(
      string({ maxLength: LONGEST, description: 'The name of the look-up in which the value is a key.' }),
    ),
    is: optional(
      arrayOf(string({ maxLength: LONGEST }), {
        maxItems: 1000,
        description: 'It holds if the value is one of these, whatever its case.',
      }),
    ),
    isEmpty: optional(boolean({ description: 'It holds if nothing is found (true), or something (false).' })),
  },
  { additionalProperties: false },
)

const lookup = object(
  {
    records: string({
      minLength: 1,
      maxLength: LONGEST,
      description: 'JSON pointer to an array in the same document.',
    }),
    key: string({ minLength: 1, maxLength: LONGEST, description: 'JSON pointer to the key of an item.' }),
    value: string({ minLength: 1, maxLength: LONGEST, description: 'JSON pointer to what the key stands for.' }),
  },
  { additionalProperties: false },
)

const properties = {
  $schema: optional(string({ maxLength: LONGEST, description: 'The address of this schema, for editors.' })),
  description: optional(string({ maxLength: 10_000, description: 'For people.' })),
  format: string({
    enum: ['csv', 'json'],
    description: 'What the map reads: CSV, or JSON in any of its layouts.',
  }) as Field<'csv' | 'json'>,
  records: optional(
    string({
      maxLength: LONGEST,
      description: 'JSON pointer to the array of records; without it, the document is one.',
    }),
  ),
  lookups: optional(mapOf(lookup, { description: 'Names for ids, from other arrays of the same document.' })),
  only: optional(
    arrayOf(condition, {
      maxItems: MAX_LISTED,
      description: 'Records of which one of these does not hold are left out.',
    }),
  ),
  skipIf: optional(
    arrayOf(condition, {
      maxItems: MAX_LISTED,
      description: 'Records of which one of these holds are left out.',
    }),
  ),
  fields: mapOf(feed, { description: 'By the name of the field that is fed.' }),
}

export type Part = Values<typeof finding>
export type Feed = Values<typeof feeding>
export type Condition = Values<(typeof condition)['properties']>
export type Lookup = Values<(typeof lookup)['properties']>
export type MapFile = Values<typeof properties>

export const mapSchema = object(properties, { additionalProperties: false })

/** As it is published. */
export const publishedMapSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Vitrine map',
  description: 'What the records of a file say of the fields of a resource. docs/maps.md explains it.',
  ...mapSchema,
}
