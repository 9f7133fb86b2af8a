import fc from 'fast-check'
import { definitionFaults } from '../../src/resources/declared/check.ts'
import type { Definition, FieldDefinition, FieldType } from '../../src/resources/declared/definition.ts'
import { at } from '../support/service.ts'

/** Any definition, and what records of it and questions about it may contain. */

const CHOICES = ['new', 'B', 'é x', "it's"]

/** The same instant as a clock that is so many hours ahead of UTC shows it. */
const writtenAt = ([minutes, hours]: readonly [number, number]) => {
  const sign = hours < 0 ? '-' : '+'
  return `${at(minutes + hours * 60).slice(0, -1)}${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`
}

/** Their order by bytes, by UTF-16 and by language differs. */
const TEXTS = ['a', 'B', 'b', 'é', 'e\u0301', 'ß', 'a b', ' a', '%', '_', "o'x", '"q"\\', '日本', '\uff5e', '🎈', 'Σ ς']
const WORDS = ['a', 'É', 'SS', 'o', 'x.example', '%', '_', "'", '日', '🎈', 'σ', 'b a', 'nothing', 'e, ss', '"a x"']
const text = fc.constantFrom(...TEXTS)
const address = fc.constantFrom('Ann@x.example', 'ann@X.example', 'bo@x.example')
const instant = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom(-11, 0, 14)).map(writtenAt) },
  fc.constantFrom('0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2026-11-14T10:00:00Z'),
)
const day = fc.constantFrom('0001-01-01', '2024-02-29', '2026-03-29', '2026-11-14', '2026-11-15', '9999-12-31')
/** Several are equal as numbers, or as doubles. */
const amount = fc.constantFrom(
  ...['0', '1.5', '1.50', '1.500', '-2', '10', '9', '0.000000000000000001', '-0.000000000000000001'],
  ...['9007199254740993', '9007199254740992', '9'.repeat(38), `-${'9'.repeat(20)}.${'9'.repeat(18)}`],
)
const integer = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -2, max: 11 }) },
  fc.constantFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
)

/** Values of each type, as records have them. */
const values: Record<FieldType, fc.Arbitrary<unknown>> = {
  text,
  email: address,
  url: fc.constantFrom('https://x.example/a', 'http://b.example/?q=1&r=%C3%A9', 'https://x.example/A'),
  instant,
  date: day,
  integer,
  decimal: fc.oneof({ weight: 6, arbitrary: amount }, fc.integer({ min: -2, max: 11 })),
  money: amount,
  boolean: fc.boolean(),
  choice: fc.constantFrom(...CHOICES),
  texts: fc.array(fc.oneof(text, fc.constant('')), { maxLength: 3 }),
}
const types = Object.keys(values) as FieldType[]

const presets: Partial<Record<FieldType, string | number | boolean>> = {
  ...{ text: "'preset", url: 'https://x.example/preset', date: '2026-01-01', integer: -1 },
  ...{ decimal: '1.10', money: '0.00', boolean: true, choice: 'B' },
}

const withKeywords = (type: FieldType): Partial<FieldDefinition> => ({
  ...((type === 'text' || type === 'texts' || type === 'url') && { maxLength: 60 }),
  ...(type === 'choice' && { values: CHOICES }),
})

const field = fc.record({ type: fc.constantFrom(...types), rule: fc.constantFrom('required', 'nullable', 'preset') })

/** Many mean something to SQL, or are members of a page. */
const NAMES = ['order', 'group', 'select', 'userName', 'from', 'check', 'user', 'total', 'dueAt', 'x1', 'value']

const isSortable = (definition: FieldDefinition) => definition.type !== 'texts'
const isSearchable = ({ type }: FieldDefinition) => type === 'text' || type === 'email' || type === 'url'

/** Without faults; its name is the index among all that are generated. */
export const definition = (index: number): fc.Arbitrary<Definition> =>
  fc
    .tuple(fc.shuffledSubarray(NAMES), fc.array(field, { minLength: 11, maxLength: 11 }))
    .map(([names, specs]) => ({
      id: { type: 'text' as const, maxLength: 60, description: 'The id.' },
      ...Object.fromEntries(names.map((name, i) => [name, fieldOf(specs[i] as (typeof specs)[number])])),
    }))
    .chain((fields: Record<string, FieldDefinition>) => {
      const where = (fits: (one: FieldDefinition) => boolean) =>
        Object.keys(fields).filter((name) => fits(fields[name] as FieldDefinition))
      return fc.record({
        fields: fc.constant(fields),
        order: fc.shuffledSubarray(where(isSortable)).map((names) => names.slice(0, 4)),
        filters: fc.shuffledSubarray(where(isSortable)).map((names) => names.slice(0, 10)),
        search: fc.subarray(where(isSearchable)),
        limit: fc.integer({ min: 1, max: 7 }),
        current: fc
          .tuple(
            fc.subarray(where(({ type }) => ['choice', 'boolean', 'instant'].includes(type))),
            fc.constantFrom([true], [false], [true, false]),
          )
          .map(([names, booleans]) => currentOf(fields, names, booleans)),
      })
    })
    .map(({ current, ...rest }) => ({
      ...{ name: `list${index}`, singular: `row${index}`, state: 'published' as const, description: 'Some rows.' },
      ...rest,
      ...(Object.keys(current).length > 0 && { current }),
      tool: { description: 'List some rows.' },
      example: exampleOf(rest.fields),
    }))
    .filter((one) => definitionFaults(one).length === 0)

function fieldOf({ type, rule }: { type: FieldType; rule: string }): FieldDefinition {
  const preset = rule === 'preset' ? presets[type] : undefined
  return {
    ...{ type, description: `Any ${type}.`, ...withKeywords(type) },
    ...(rule === 'nullable' && { nullable: true }),
    ...(preset !== undefined && { default: preset }),
  }
}

/** One instant at most hides rows. */
function currentOf(fields: Record<string, FieldDefinition>, names: readonly string[], booleans: readonly boolean[]) {
  const hiding = names.find((name) => fields[name]?.type === 'instant')
  return Object.fromEntries(
    names.flatMap((name): [string, 'past' | (string | boolean)[]][] => {
      const { type } = fields[name] as FieldDefinition
      if (type === 'instant') return name === hiding ? [[name, 'past']] : []
      return [[name, type === 'boolean' ? [...booleans] : CHOICES.slice(0, 3)]]
    }),
  )
}

const EXAMPLES: Partial<Record<FieldType, unknown>> = {
  ...{ ...presets, email: 'ann@x.example', instant: at(0), texts: [] },
}
const exampleOf = (fields: Record<string, FieldDefinition>) =>
  Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, EXAMPLES[type]]))

/** All fields but the id. What may be left out sometimes is. */
export const recordOf = ({ fields }: Definition): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, one]) => {
        if (name === 'id') return []
        const { type, nullable = false, default: preset } = one
        const present = nullable && type === 'text' ? fc.oneof(values.text, fc.constant('')) : values[type]
        const mayLack = nullable || preset !== undefined
        return [
          [name, mayLack ? fc.oneof({ weight: 3, arbitrary: present }, fc.constantFrom(null, undefined)) : present],
        ]
      }),
    ),
  )

/** A few arguments of the tool, or nothing would match. */
export function questionOf({ fields, order = [], filters = [], search = [] }: Definition, ids: readonly string[]) {
  const moment = fc.oneof(instant, fc.constantFrom('2026-11-14', '2026-11-15', '2026-11-16'))
  const typeOf = (name: string) => fields[name]?.type as FieldType
  const asked = (name: string) => {
    if (typeOf(name) === 'instant') return moment
    return typeOf(name) === 'decimal' ? amount : values[typeOf(name)]
  }
  const dated = [...new Set([...order, ...filters])].filter((name) => ['instant', 'date'].includes(typeOf(name)))
  const all: Record<string, fc.Arbitrary<unknown>> = {
    ...Object.fromEntries(filters.map((name) => [name, name === 'id' ? fc.constantFrom(...ids) : asked(name)])),
    ...Object.fromEntries(dated.flatMap((name) => [`${name}After`, `${name}Before`].map((one) => [one, asked(name)]))),
    ids: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 6 }),
    ...(search.length > 0 && { query: fc.constantFrom(...WORDS) }),
  }
  return fc
    .shuffledSubarray(Object.keys(all))
    .map((names) => names.slice(0, 2))
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, all[name] as fc.Arbitrary<unknown>]))))
}
