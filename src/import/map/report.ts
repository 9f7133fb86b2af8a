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
const NO_COLUMN = '(the map)'
const WIDEST = 40

interface Miss {
  count: number
  position: RecordPosition
  meaning: string | null
}

export class MapReport {
  /** Each column that filled a field, with its first value. */
  readonly #filled = new Map<string, Map<string, { text: string; meaning: string }>>()
  readonly #misses = new Map<string, Map<string, Miss>>()
  readonly #defaulted = new Map<string, number>()
  readonly #skipped = new Map<string, number>()
  readonly #unused = new Set<string>()
  #isEmpty = true
  position: RecordPosition = {}

  columns(names: readonly string[], isUsed: (name: string) => boolean): void {
    if (names.length > 0) this.#isEmpty = false
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
    if (this.#isEmpty) return []
    const defaults = new Map(
      list.fields.flatMap(({ name, default: preset }) => {
        const value = fieldRuleOf(file, name)?.default ?? preset
        return value === undefined ? [] : [[name, String(value)]]
      }),
    )
    const fields = list.fields.map(({ name }) => name)
    const rows = fields.flatMap((field) =>
      [...(this.#filled.get(field) ?? [])].map(([column, example]) => ({ field, column, ...example })),
    )
    const width = Math.min(Math.max(NO_COLUMN.length, ...rows.map(({ column }) => column.length)), WIDEST)
    return [
      `Fields that the map ${map} fills:`,
      ...rows.map(({ field, column, text, meaning }) => {
        const reading = meaning === text ? '' : `, read as ${quotedText(meaning)}`
        return `  ${column.padEnd(width)} → ${field}: for example ${quotedText(text)}${reading}`
      }),
      ...[...defaults].map(([field, value]) => {
        const count = this.#defaulted.get(field)
        const when = this.#filled.has(field) ? 'otherwise' : 'always'
        const records = when === 'otherwise' && count !== undefined ? ` (${counted(count, 'record')})` : ''
        return `  ${NO_COLUMN.padEnd(width)} → ${field}: ${when} ${quotedText(value)}${records}`
      }),
      ...namesLine('Not used', [...this.#unused]),
      ...namesLine(
        'Not filled',
        fields.filter((field) => !this.#filled.has(field) && !defaults.has(field)),
      ),
      ...[...this.#misses].map(([field, misses]) => missesInWords(field, misses)),
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

function missesInWords(field: string, misses: ReadonlyMap<string, Miss>): string {
  const most = [...misses].sort(([, a], [, b]) => b.count - a.count)
  const examples = most.slice(0, MAX_NAMED).map(([text, { count, position, meaning }]) => {
    const times =
      count === 1 ? positionText(position) : `${formatCount(count)} times, first at ${positionText(position)}`
    return `${quotedText(text)} is read as ${meaning === null ? 'empty' : quotedText(meaning)} (${times})`
  })
  const more = most.length > MAX_NAMED ? `; and ${most.length - MAX_NAMED} other values` : ''
  return `Not in the map, for ${field}: ${examples.join('; ')}${more}`
}
