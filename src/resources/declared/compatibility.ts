import { type Breach, type Declaration, MAX_URL_LENGTH, type Table } from '../../database/table.ts'
import { defined } from '../../lib/defined.ts'
import { MAX_COUNTED_LENGTH } from '../list-arguments.ts'
import { DEFAULT_ITEMS, DEFAULT_LIMIT, type Definition, type FieldDefinition } from './definition.ts'

/**
 * Whether a definition extends another: a client that works with the old one must work with the new one. docs/resources.md lists
 * these rules for operators.
 */

/** With explicit defaults and sorted members, so that definitions with the same meaning are the same text. */
export function settled(definition: Definition): Definition {
  const { name, singular, state, description, label, tool, example, current } = definition
  const { order = [], filters = [], search = [], limit = DEFAULT_LIMIT } = definition
  const fields = Object.fromEntries(Object.entries(definition.fields).map(([field, own]) => [field, settledField(own)]))
  return {
    ...{ name, singular, state, description, fields, order, filters, search, limit, tool, example },
    ...defined({ current, label }),
  }
}

function settledField(field: FieldDefinition): FieldDefinition {
  const { type, description, nullable = false, minimum, maximum, values, default: preset } = field
  const maxLength = field.maxLength ?? (type === 'url' ? MAX_URL_LENGTH : undefined)
  const maxItems = field.maxItems ?? (type === 'texts' ? DEFAULT_ITEMS : undefined)
  return {
    ...{ type, description, nullable },
    ...defined({ maxLength, maxItems, minimum, maximum, values, default: preset }),
  }
}

/** Every change that could break a client. If there is none, `next` extends `old`. */
export function changes(old: Definition, next: Definition): Breach[] {
  const [before, after] = [settled(old), settled(next)]
  const { name, singular, fields, order, limit = 0, label } = before
  const rules: Rule[] = [
    [after.name !== name, 'name', 'a resource is never renamed', BESIDE],
    [after.singular !== singular, 'singular', 'a resource is never renamed', `keep ${singular}`],
    [
      ...([before.state === 'published' && after.state === 'draft', 'state'] as const),
      ...(['a published resource does not become a draft again', 'retire it with LIFECYCLE instead'] as const),
    ],
    ...Object.entries(fields).flatMap(([field, own]) => fieldRules(`fields.${field}`, own, after.fields[field])),
    ...Object.entries(after.fields).map(
      ([field, { nullable, default: preset }]): Rule => [
        fields[field] === undefined && !nullable && preset === undefined,
        ...([`fields.${field}`, 'a new field is never required', 'make it nullable, or give it a default'] as const),
      ],
    ),
    [!isSame(order, after.order), 'order', 'the order never changes', `keep ${JSON.stringify(order)}; ${BESIDE}`],
    ...removals('filters', 'a filter is never removed', before.filters, after.filters),
    ...removals('search', 'a field stays searchable', before.search, after.search),
    [(after.limit ?? 0) < limit, 'limit', 'the limit is never lowered', `keep at least ${limit}`],
    [label !== undefined && after.label !== label, 'label', 'the label never changes', `keep ${label}`],
    ...currentRules(before, after),
  ]
  return rules.flatMap(([isBroken, member, rule, fix]) => (isBroken ? { member, rule, fix } : []))
}

const BESIDE = 'or declare another resource, and retire this one'

type Rule = readonly [isBroken: boolean, member: string, rule: string, fix: string]

function fieldRules(member: string, old: FieldDefinition, next: FieldDefinition | undefined): Rule[] {
  const beside = 'keep it, and add another field'
  if (next === undefined) return [[true, member, 'a field is never removed', beside]]
  if (next.type !== old.type) return [[true, `${member}.type`, 'a field never changes its type', beside]]
  const { nullable, default: preset, maxLength, maxItems, minimum, maximum } = old
  const losesCounts = old.type === 'text' && isCounted(maxLength) && !isCounted(next.maxLength)
  return [
    [next.nullable !== nullable, `${member}.nullable`, 'the nullability of a field never changes', beside],
    [next.default !== preset, `${member}.default`, 'a default never changes', keep(preset)],
    [isNarrower(maxLength, next.maxLength), `${member}.maxLength`, 'it is never lowered', keep(maxLength)],
    [
      ...([member !== 'fields.id' && losesCounts, `${member}.maxLength`] as const),
      ...(['clients can count rows by this field', `keep at most ${MAX_COUNTED_LENGTH}`] as const),
    ],
    [isNarrower(maxItems, next.maxItems), `${member}.maxItems`, 'it is never lowered', keep(maxItems)],
    [isNarrower(maximum, next.maximum), `${member}.maximum`, 'it is never lowered', keep(maximum)],
    [isNarrower(next.minimum, minimum, -Infinity), `${member}.minimum`, 'it is never raised', keep(minimum)],
    ...removals(`${member}.values`, 'a value is never removed', old.values, next.values),
  ]
}

const isCounted = (length = Infinity) => length <= MAX_COUNTED_LENGTH
const isNarrower = (old: number | undefined, next: number | undefined, widest = Infinity) =>
  (next ?? widest) < (old ?? widest)
const keep = (value: unknown) => (value === undefined ? 'leave it out' : `keep ${JSON.stringify(value)}`)

const removals = (member: string, rule: string, old: readonly string[] = [], next: readonly string[] = []): Rule[] =>
  old.map((item) => [!next.includes(item), member, rule, `keep ${item}`])

/** No row may leave the list, and no hidden row may enter it. Only a value that is new to its choice can be added. */
function currentRules(before: Definition, after: Definition): Rule[] {
  const [old = {}, next = {}] = [before.current, after.current]
  return Object.keys({ ...old, ...next }).map((field): Rule => {
    const values: readonly unknown[] = before.fields[field]?.values ?? [true, false]
    const known = (rows: unknown) =>
      Array.isArray(rows) ? rows.filter((value) => values.includes(value)).sort() : rows
    const isBroken = !isSame(known(old[field]), known(next[field]))
    return [isBroken, `current.${field}`, 'a new definition never moves rows into or out of the list', keep(old[field])]
  })
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Members that differ in any way, such as `description` or `fields.total`. */
export function differingMembers(old: Definition, next: Definition): string[] {
  const { fields, ...others } = settled(old)
  const { fields: nextFields, ...nextOthers } = settled(next)
  const differing = (a: Record<string, unknown>, b: Record<string, unknown>, prefix = '') =>
    Object.keys({ ...a, ...b }).flatMap((name) => (isSame(a[name], b[name]) ? [] : prefix + name))
  const members = [...differing(others, nextOthers), ...differing(fields, nextFields, 'fields.')]
  return members.length > 0 || isSame(fields, nextFields) ? members : ['fields']
}

export const declarationOf = (
  definition: Definition,
  file: string,
  tableOf: (definition: Definition) => Table | undefined,
): Declaration => ({
  file,
  state: definition.state,
  definition: JSON.stringify(settled(definition)),
  compare(remembered) {
    const old = JSON.parse(remembered) as Definition
    const [breaches, reverse] = [changes(old, definition), changes(definition, old)]
    return { breaches, reverse, members: differingMembers(old, definition) }
  },
  tableOf: (remembered) => tableOf(JSON.parse(remembered) as Definition),
})
