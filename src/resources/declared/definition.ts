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
import type { Kind } from '../../lists/column.ts'
import { MAX_NAME_LENGTH } from './names.ts'

/** A resource as an operator declares it, in one JSON file. */

const closed = { additionalProperties: false }

export type FieldType = Kind

export const KEYWORDS = ['maxLength', 'maxItems', 'minimum', 'maximum', 'values', 'default'] as const
type Keyword = (typeof KEYWORDS)[number]

/** Besides `type`, `description` and `nullable`, which every type has. */
export const KEYWORDS_BY_TYPE: Record<FieldType, { needs?: readonly Keyword[]; takes?: readonly Keyword[] }> = {
  text: { needs: ['maxLength'], takes: ['default'] },
  email: {},
  url: { takes: ['maxLength', 'default'] },
  instant: {},
  date: { takes: ['default'] },
  integer: { takes: ['minimum', 'maximum', 'default'] },
  decimal: { takes: ['default'] },
  money: { takes: ['default'] },
  boolean: { takes: ['default'] },
  choice: { needs: ['values'], takes: ['default'] },
  texts: { needs: ['maxLength'], takes: ['maxItems'] },
}

export const MAX_FIELDS = 100
/** With the built-in tasks, 50 lists: an agent reads the definition of a tool for each. */
export const MAX_DECLARED = 49
export const DEFAULT_LIMIT = 100
export const DEFAULT_ITEMS = 20

const fieldNames = (description: string, maxItems: number) =>
  optional(arrayOf(string(), { maxItems, uniqueItems: true, description }))

/** Clients and people read these, so no line breaks, and nothing that is not shown. */
const words = (maxLength: number, description: string) =>
  string({
    minLength: 1,
    maxLength,
    pattern: '^(?!\\s)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]*(?<!\\s)$',
    patternErrorMessage: 'must be on one line, without control characters or spaces around it',
    description,
  })

const whole = (minimum: number, maximum: number, description: string) =>
  optional(integer({ minimum, maximum, description }))

const { MIN_SAFE_INTEGER: LEAST, MAX_SAFE_INTEGER: GREATEST } = Number

const field = {
  type: string({
    enum: Object.keys(KEYWORDS_BY_TYPE),
    description:
      'text, email, url; instant: a time in UTC; date: YYYY-MM-DD in the timezone of the workspace; integer; decimal: an exact number as text; ' +
      'money: a decimal in the currency of the workspace; boolean; choice: one of `values`; texts: a list of texts.',
  }) as Field<FieldType>,
  description: words(500, 'What the field means. Clients and agents read it.'),
  nullable: optional(boolean({ description: 'Whether the field may be null. It is always present. Default: false.' })),
  maxLength: whole(
    1,
    10_000,
    'The most characters of a text, or of each of the texts, for which it is required, or of a url (default: 2048).',
  ),
  maxItems: whole(1, 100, `The most items of texts. Default: ${DEFAULT_ITEMS}.`),
  minimum: whole(LEAST, GREATEST, 'The least value of an integer.'),
  maximum: whole(LEAST, GREATEST, 'The greatest value of an integer.'),
  values: optional(
    arrayOf(words(100, 'A value, as clients see it.'), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'The values of a choice, for which it is required.',
    }),
  ),
  default: optional({
    type: ['string', 'integer', 'boolean'],
    maxLength: 10_000,
    description: 'Stored if a record leaves the field out. Without it, a field that is not nullable is required.',
  } as Field<string | number | boolean>),
}

const rows = object(
  {
    database: string({
      pattern: '^[A-Z][A-Z0-9_]{0,99}$',
      patternErrorMessage: 'must be the name of a setting, such as SHOP_DATABASE_URL, and not the address itself',
      description: 'The setting that has the address of the database: postgres://… or sqlite:PATH.',
    }),
    table: words(200, 'The table or view, exactly as it is named; the first dot separates a schema.'),
    workspaceColumn: optional(words(100, "The column with the slug or the id of a row's workspace.")),
    workspace: optional(words(63, 'The slug of the workspace that all rows belong to, instead of a column.')),
    columns: optional(
      mapOf(words(100, 'The name of a column.'), {
        maxProperties: MAX_FIELDS,
        description: "Columns by field. By default, a field's column has its name in snake case, or else the same.",
      }),
    ),
  },
  {
    ...closed,
    description: 'For a list that is read in place: the table or view of an application with its rows.',
  },
)

const properties = {
  $schema: optional(string({ maxLength: 1000, description: 'The URL of this schema, for editors.' })),
  name: string({
    pattern: `^[a-z][a-z0-9]{0,${MAX_NAME_LENGTH - 1}}$`,
    patternErrorMessage: `must be at most ${MAX_NAME_LENGTH} lower-case letters and digits, and begin with a letter`,
    description: 'The plural, in lower-case letters and digits: the path, and the member of the response.',
  }),
  singular: string({
    maxLength: MAX_NAME_LENGTH,
    pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
    patternErrorMessage: 'must be lower-case letters and digits, with single hyphens between words',
    description: 'What one row is called, as in `vitrine order import`.',
  }),
  state: string({
    enum: ['draft', 'published'],
    description:
      'A draft can be migrated and filled, but clients cannot see it. A published resource can only be extended.',
  }) as Field<'draft' | 'published'>,
  description: words(1000, 'What the list contains, for clients.'),
  fields: mapOf(object(field, closed), {
    required: ['id'],
    maxProperties: MAX_FIELDS,
    propertyNames: string({
      pattern: '^[a-z][a-zA-Z0-9]*$',
      patternErrorMessage: 'must be camelCase, of letters and digits only',
    }),
    description: 'By name, in the order of the response. `id` is required, and is a text.',
  }),
  current: optional(
    mapOf(
      {
        type: ['array', 'string'],
        items: { type: ['string', 'boolean'] },
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        pattern: '^past$',
        patternErrorMessage: 'must be "past", or a list of values',
      } as Field<readonly (string | boolean)[] | 'past'>,
      {
        minProperties: 1,
        description:
          'Rows that the list contains, by field: the values of a choice or boolean, or "past" for an instant that hides a row until it passes.',
      },
    ),
  ),
  order: fieldNames('Fields to sort by, ascending; null comes last, and ties keep the order of creation.', 4),
  filters: fieldNames('Fields by which the tool can narrow the list.', 10),
  search: fieldNames('Texts that the tool can search for words.', 10),
  rows: optional(rows),
  limit: whole(1, 100, `The most rows in a response. Default: ${DEFAULT_LIMIT}.`),
  label: optional(string({ description: 'The field that describes a row best, a text. It is always in a result.' })),
  tool: object({ description: words(1000, 'When to use the tool, for agents.') }, closed),
  example: { type: 'object', description: 'A row as clients see it, with every field.' } as Field<
    Record<string, unknown>
  >,
}

export type Definition = Values<typeof properties>
export type FieldDefinition = Values<typeof field>

export const definitionSchema = object(properties, closed)

/** Where a built-in list is read in place. Everything else of it is the program's. */
export const placementSchema = object({ name: properties.name, rows }, closed)
export type Placement = Values<(typeof placementSchema)['properties']>
