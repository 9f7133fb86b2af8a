import type { Breach, Declaration } from '../../database/tables/declared-lists.ts'
import { defined } from '../../lib/defined.ts'
import { MAX_URL_LENGTH } from '../../lists/column.ts'
import type { List } from '../../lists/definition.ts'
import { MAX_COUNTED_LENGTH } from '../list-arguments.ts'
import { DEFAULT_ITEMS, DEFAULT_LIMIT, type Definition, type FieldDefinition } from './definition.ts'

/**
 * Whether a definition extends another: a client that works with the old one must work with the new one. docs/resources.md lists
 * these rules for operators.
 */

/** With explicit defaults and sorted members, so that definitions with the same meaning are the same text. */
function withDefaults(definition: Definition): Definition {
  const { name, singular, state, description, label, tool, example, current, rows } = definition
  const { order = [], filters = [], search = [], limit = DEFAULT_LIMIT } = definition
  const fields = Object.fromEntries(
    Object.entries(definition.fields).map(([field, own]) => [field, fieldWithDefaults(own)]),
  )
  const always = { name, singular, state, description, fields, order, filters, search, limit, tool, example }
  return { ...always, ...defined({ current, label, rows }) }
}

function fieldWithDefaults(field: FieldDefinition): FieldDefinition {
  const { type, description, nullable = false, minimum, maximum, values, default: preset } = field
  const maxLength = field.maxLength ?? (type === 'url' ? MAX_URL_LENGTH : undefined)
  const maxItems = field.maxItems ?? (type === 'texts' ? DEFAULT_ITEMS : undefined)
  const limits = { maxLength, maxItems, minimum, maximum, values }
  return { type, description, nullable, ...defined({ ...limits, default: preset }) }
}

/** Every change that could break a client. If there is none, `next` extends `old`. */
export function breachesOf(old: Definition, next: Definition): Breach[] {
  const [before, after] = [withDefaults(old), withDefaults(next)]
  const { name, singular, fields, order, limit = 0, label } = before
  const isDraftAgain = before.state === 'published' && after.state === 'draft'
  return [
    rule(after.name !== name, 'name', 'a resource is never renamed', BESIDE),
    rule(after.singular !== singular, 'singular', 'a resource is never renamed', `keep ${singular}`),
    rule(isDraftAgain, 'state', 'a published resource does not become a draft again', RETIRE),
    ...Object.entries(fields).map(([field, own]) => fieldRules(`fields.${field}`, own, after.fields[field])),
    ...Object.entries(after.fields).map(([field, { nullable, default: preset }]) => {
      const isRequired = fields[field] === undefined && !nullable && preset === undefined
      return rule(isRequired, `fields.${field}`, 'a new field is never required', OPTIONAL)
    }),
    rule(!isSame(order, after.order), 'order', 'the order never changes', `keep ${JSON.stringify(order)}; ${BESIDE}`),
    removals('filters', 'a filter is never removed', before.filters, after.filters),
    removals('search', 'a field stays searchable', before.search, after.search),
    rule((after.limit ?? 0) < limit, 'limit', 'the limit is never lowered', `keep at least ${limit}`),
    rule(label !== undefined && after.label !== label, 'label', 'the label never changes', `keep ${label}`),
    currentRules(before, after),
  ].flat()
}

const rule = (isBroken: boolean, member: string, text: string, fix: string): Breach[] =>
  isBroken ? [{ member, rule: text, fix }] : []

const BESIDE = 'or declare another resource, and retire this one'
const RETIRE = 'retire it with LIFECYCLE instead'
const OPTIONAL = 'make it nullable, or give it a default'
const COUNTABLE = `keep at most ${MAX_COUNTED_LENGTH}`

function fieldRules(member: string, old: FieldDefinition, next: FieldDefinition | undefined): Breach[] {
  const beside = 'keep it, and add another field'
  if (next === undefined) return rule(true, member, 'a field is never removed', beside)
  if (next.type !== old.type) return rule(true, `${member}.type`, 'a field never changes its type', beside)
  const { nullable, default: preset, maxLength, maxItems, minimum, maximum } = old
  const isText = member !== 'fields.id' && old.type === 'text'
  const losesCounts = isText && isCounted(maxLength) && !isCounted(next.maxLength)
  return [
    rule(next.nullable !== nullable, `${member}.nullable`, 'the nullability of a field never changes', beside),
    rule(next.default !== preset, `${member}.default`, 'a default never changes', keep(preset)),
    rule(isNarrower(maxLength, next.maxLength), `${member}.maxLength`, 'it is never lowered', keep(maxLength)),
    rule(losesCounts, `${member}.maxLength`, 'clients can count rows by this field', COUNTABLE),
    rule(isNarrower(maxItems, next.maxItems), `${member}.maxItems`, 'it is never lowered', keep(maxItems)),
    rule(isNarrower(maximum, next.maximum), `${member}.maximum`, 'it is never lowered', keep(maximum)),
    rule(isNarrower(next.minimum, minimum, -Infinity), `${member}.minimum`, 'it is never raised', keep(minimum)),
    removals(`${member}.values`, 'a value is never removed', old.values, next.values),
  ].flat()
}

const isCounted = (length = Infinity) => length <= MAX_COUNTED_LENGTH
const isNarrower = (old: number | undefined, next: number | undefined, widest = Infinity) =>
  (next ?? widest) < (old ?? widest)
const keep = (value: unknown) => (value === undefined ? 'leave it out' : `keep ${JSON.stringify(value)}`)

const removals = (member: string, text: string, old: readonly string[] = [], next: readonly string[] = []): Breach[] =>
  old.flatMap((item) => rule(!next.includes(item), member, text, `keep ${item}`))

/** No row may leave the list, and no hidden row may enter it. Only a value that is new to its choice can be added. */
function currentRules(before: Definition, after: Definition): Breach[] {
  const [old = {}, next = {}] = [before.current, after.current]
  return Object.keys({ ...old, ...next }).flatMap((field) => {
    const values: readonly unknown[] = before.fields[field]?.values ?? [true, false]
    const withoutNewValues = (rows: unknown) =>
      Array.isArray(rows) ? rows.filter((value) => values.includes(value)).sort() : rows
    const moves = !isSame(withoutNewValues(old[field]), withoutNewValues(next[field]))
    const fix = keep(old[field])
    return rule(moves, `current.${field}`, 'a new definition never moves rows into or out of the list', fix)
  })
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

export const declarationOf = (
  definition: Definition,
  file: string,
  listOf: (definition: Definition) => List,
): Declaration => ({
  file,
  state: definition.state,
  definition: JSON.stringify(withDefaults(definition)),
  compare(remembered) {
    const old = JSON.parse(remembered) as Definition
    return { breaches: breachesOf(old, definition), reverse: breachesOf(definition, old) }
  },
  listOf: (remembered) => listOf(JSON.parse(remembered) as Definition),
})
