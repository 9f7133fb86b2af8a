import { counted, formatCount, named } from '../../lib/format-count.ts'
import { isRequired } from '../../lists/column.ts'
import type { List } from '../../lists/definition.ts'
import { positionText, type RecordPosition } from '../format/frame.ts'
import type { RecordMap } from './load-map.ts'
import { columnsOfRule, fieldRuleOf } from './schema.ts'
import { quotedText } from './values.ts'

/** Further values of a field are only counted. */
const MAX_NAMED = 5
const MAX_COUNTED = 10_000
const MAX_HELD_CHARACTERS = 200
const MAX_UNUSED = 60
const WIDEST = 40

export class MapReport {
  /** Each column that filled a field, with its first value. */
  readonly #filled = new Map<string, Map<string, { text: string; meaning: string }>>()
  /** By field: values that the map does not list, and where each was first. */
  readonly #misses = new Map<string, Map<string, { count: number; position: RecordPosition; meaning: string | null }>>()
  readonly #defaulted = new Map<string, number>()
  readonly #skipped = new Map<string, number>()
  readonly #unused = new Set<string>()
  position: RecordPosition = {}

  columns(names: readonly string[], isUsed: (name: string) => boolean): void {
    for (const name of names) if (this.#unused.size < MAX_COUNTED && !isUsed(name)) this.#unused.add(clipped(name))
  }

  found(field: string, column: string, text: string, meaning: string): void {
    const columns = entryOf(this.#filled, field)
    if (!columns.has(column)) columns.set(column, { text: clipped(text), meaning: clipped(meaning) })
  }

  /** Records the final value of a text, such as a date. */
  became(field: string, text: string, value: string): void {
    for (const example of this.#filled.get(field)?.values() ?? [])
      if (example.meaning === clipped(text)) example.meaning = clipped(value)
  }

  missed(field: string, text: string, meaning: string | null): void {
    const misses = entryOf(this.#misses, field)
    const miss = misses.get(clipped(text))
    if (miss !== undefined) miss.count++
    else if (misses.size < MAX_COUNTED) misses.set(clipped(text), { count: 1, position: this.position, meaning })
  }

  /** The map's default was used. */
  defaulted(field: string): void {
    this.#defaulted.set(field, (this.#defaulted.get(field) ?? 0) + 1)
  }

  skipped(rule: string): void {
    this.#skipped.set(rule, (this.#skipped.get(rule) ?? 0) + 1)
  }

  /** How many records lacked what they must have, such as a title, and got the map's default instead. */
  defaults({ name: map, file }: RecordMap, list: List): string[] {
    return list.fields.filter(isRequired).flatMap(({ name: field }) => {
      const count = this.#defaulted.get(field)
      const rule = fieldRuleOf(file, field) ?? {}
      const isConstant = columnsOfRule(rule).length === 0
      if (count === undefined || isConstant) return []
      return [`The map ${map} gave ${counted(count, 'record')} the ${field} ${quotedText(String(rule.default))}.`]
    })
  }

  /** Empty if nothing in the file could be read. */
  lines({ name: map, file }: RecordMap, list: List): string[] {
    if (this.#filled.size === 0 && this.#unused.size === 0) return []
    const fields = list.fields.map(({ name }) => name)
    const rows = fields.flatMap((field) =>
      [...(this.#filled.get(field) ?? [])].map(([column, example]) => ({ field, column, ...example })),
    )
    const width = Math.min(Math.max(0, ...rows.map(({ column }) => column.length)), WIDEST)
    const isUnfilled = (field: string) => !this.#filled.has(field) && !this.#defaulted.has(field)
    return [
      `Fields that the map ${map} fills:`,
      ...rows.map(({ field, column, text, meaning }) => {
        const reading = meaning === text ? '' : `, read as ${quotedText(meaning)}`
        return `  ${column.padEnd(width)} → ${field}: for example ${quotedText(text)}${reading}`
      }),
      ...[...this.#defaulted].map(([field, count]) => {
        const value = quotedText(String(fieldRuleOf(file, field)?.default))
        return `The default of ${field}, ${value}, in ${counted(count, 'record')}`
      }),
      ...namesLine('Not used', [...this.#unused]),
      ...namesLine('Not filled', fields.filter(isUnfilled)),
      ...[...this.#misses].map(([field, misses]) => {
        const examples = [...misses].slice(0, MAX_NAMED).map(([text, { count, position, meaning }]) => {
          const times = `${counted(count, 'record')}, first at ${positionText(position)}`
          return `${quotedText(text)} is read as ${meaning === null ? 'empty' : quotedText(meaning)} (${times})`
        })
        return `Not in the map, for ${field}: ${named(examples, misses.size)}`
      }),
      ...[...this.#skipped].map(([rule, count]) => `Skipped because ${rule}: ${formatCount(count)}`),
    ]
  }
}

function entryOf<Value>(fields: Map<string, Map<string, Value>>, field: string): Map<string, Value> {
  const entry = fields.get(field) ?? new Map<string, Value>()
  fields.set(field, entry)
  return entry
}

const clipped = (text: string): string => text.slice(0, MAX_HELD_CHARACTERS)

const namesLine = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${named(names.slice(0, MAX_UNUSED), names.length)}`]
