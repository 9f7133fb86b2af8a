import {
  arrayOf,
  boolean,
  type Field,
  integer,
  mapOf,
  object,
  optional,
  string,
  type Values,
} from '../../lib/schema.ts'

/** A resource as an operator declares it, in one JSON file. */

const closed = { additionalProperties: false }
const names = (description: string, maxItems: number) =>
  optional(arrayOf(string({ minLength: 1 }), { maxItems, description }))

export const FIELD_TYPES = [
  'text',
  'email',
  'url',
  'instant',
  'date',
  'integer',
  'decimal',
  'money',
  'boolean',
  'choice',
  'texts',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

export const MAX_FIELDS = 100
export const MAX_RESOURCES = 50

const field = {
  type: string({
    enum: FIELD_TYPES,
    description:
      'text, email, url; instant: a time in UTC; date: YYYY-MM-DD in the timezone of the workspace; integer; decimal: an exact number as text; ' +
      'money: a decimal in the currency of the workspace; boolean; choice: one of `values`; texts: a list of texts.',
  }) as Field<FieldType>,
  description: string({
    minLength: 1,
    maxLength: 500,
    description: 'What the field means. Clients and agents read it.',
  }),
  nullable: optional(boolean({ description: 'Whether the field may be null. It is always present. Default: false.' })),
  maxLength: optional(
    integer({ minimum: 1, maximum: 10_000, description: 'The most characters of a text, a url or each of the texts.' }),
  ),
  maxItems: optional(integer({ minimum: 1, maximum: 100, description: 'The most items of texts. Default: 20.' })),
  minimum: optional(integer({ description: 'The least value of an integer.' })),
  maximum: optional(integer({ description: 'The greatest value of an integer.' })),
  values: optional(
    arrayOf(string({ minLength: 1, maxLength: 100 }), { maxItems: 100, description: 'The values of a choice.' }),
  ),
  default: optional({
    type: ['string', 'integer', 'boolean'],
    maxLength: 10_000,
    description: 'Stored if a record leaves the field out. Without it, a field that is not nullable is required.',
  } as Field<string | number | boolean>),
}

const properties = {
  $schema: optional(string({ description: 'The URL of this schema, for editors.' })),
  name: string({
    minLength: 1,
    maxLength: 24,
    description: 'The plural, in lower-case letters and digits: the path, the table, and the member of the response.',
  }),
  singular: string({
    minLength: 1,
    maxLength: 24,
    description: 'What one row is called, as in `vitrine order import`.',
  }),
  state: string({
    enum: ['draft', 'published'],
    description:
      'A draft can be migrated and filled, but clients cannot see it. What is published can only be extended.',
  }) as Field<'draft' | 'published'>,
  description: string({ minLength: 1, maxLength: 1000, description: 'What the list contains, for clients.' }),
  fields: mapOf(object(field, closed), { description: 'By name, in the order of the response. `id` is required.' }),
  current: optional(
    mapOf(
      {
        type: ['array', 'string'],
        items: { type: ['string', 'boolean'] },
        maxItems: 100,
        enum: ['past'],
      } as Field<readonly (string | boolean)[] | 'past'>,
      {
        description:
          'Rows that the list contains, by field: the values of a choice or boolean, or "past" for an instant that hides a row until it passes.',
      },
    ),
  ),
  order: names('Fields to sort by, ascending; null comes last, and ties keep the order of creation.', 4),
  filters: names('Fields by which the tool can narrow the list.', 10),
  search: names('Texts that the tool can search for words.', 10),
  limit: optional(integer({ minimum: 1, maximum: 100, description: 'The most rows in a response. Default: 100.' })),
  label: optional(string({ description: 'The field that describes a row best.' })),
  tool: object(
    { description: string({ minLength: 1, maxLength: 1000, description: 'When to use the tool, for agents.' }) },
    closed,
  ),
  example: { type: 'object', description: 'A row as clients see it, with every field.' } as Field<
    Record<string, unknown>
  >,
}

export type Definition = Values<typeof properties>
export type FieldDefinition = Values<typeof field>

export const definitionSchema = object(properties, closed)
