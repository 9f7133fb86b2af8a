import { foldCase } from '../../src/lib/fold-case.ts'
import type { Definition, FieldType } from '../../src/resources/declared/definition.ts'

/** What a declared list must contain, only by the contract's rules: plain rows in memory, without any query. */

type Values = Record<string, unknown>
export interface ModelRow {
  id: string
  seq: number
  source: string | null
  values: Values
}

const PLACES = 18
/** Without Number, which would round. */
export function numberOf(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.')
  return BigInt(whole + places.padEnd(PLACES, '0'))
}

export class ListModel {
  readonly #definition: Definition
  /** Hours ahead of UTC. */
  readonly #offset: number
  #rows: ModelRow[] = []
  #created = 0

  constructor(definition: Definition, offset: number) {
    this.#definition = definition
    this.#offset = offset
  }

  #typeOf(field: string): FieldType {
    return this.#definition.fields[field]?.type as FieldType
  }

  /** As a client sees the record. */
  #valuesOf(record: Values): Values {
    const entries = Object.entries(this.#definition.fields).map(([name, { type, default: preset }]) => {
      const given = record[name] ?? preset ?? null
      if (given === null) return [name, null]
      if (type === 'instant') return [name, new Date(given as string).toISOString()]
      return [name, type === 'decimal' || type === 'money' ? String(given) : given]
    })
    return Object.fromEntries(entries)
  }

  #put(record: Values, source: string | null): void {
    const values = this.#valuesOf(record)
    const known = this.#rows.find(({ id }) => id === record.id)
    if (known !== undefined) known.values = values
    else this.#rows.push({ id: String(record.id), seq: this.#created++, source, values })
  }

  #remove(ids: readonly string[]): void {
    this.#rows = this.#rows.filter(({ id }) => !ids.includes(id))
  }

  has(id: string): boolean {
    return this.#rows.some((row) => row.id === id)
  }

  #isForeign(records: readonly Values[], source: string | null): boolean {
    return this.#rows.some((row) => row.source !== source && records.some(({ id }) => id === row.id))
  }

  /** False if it is refused, and changes nothing. */
  import(records: readonly Values[]): boolean {
    if (this.#isForeign(records, null)) return false
    for (const record of records)
      if (record.deleted === true) this.#remove([String(record.id)])
      else this.#put(record, null)
    return true
  }

  sync(records: readonly Values[], source: string): boolean {
    if (this.#isForeign(records, source)) return false
    const stay = records.map(({ id }) => id)
    this.#remove(this.#rows.filter((row) => row.source === source && !stay.includes(row.id)).map(({ id }) => id))
    for (const record of records) this.#put(record, source)
    return true
  }

  delete(id: string): void {
    this.#remove([id])
  }

  #isCurrent(values: Values, now: number): boolean {
    return Object.entries(this.#definition.current ?? {}).every(([field, condition]) => {
      const value = values[field]
      if (condition === 'past') return value === null || Date.parse(value as string) <= now
      return condition.includes(value as string)
    })
  }

  /** All of them, in order. Undefined if the query is invalid. */
  matching(question: Values, now: number): Values[] | undefined {
    const asked = Object.fromEntries(
      Object.entries(question).map(([name, value]) => [name, this.#momentOf(name, value)]),
    )
    if (!this.#isAskable(asked)) return undefined
    return this.#rows
      .filter(({ values }) => this.#isCurrent(values, now))
      .filter(({ values }) => Object.entries(asked).every(([name, value]) => this.#matches(values, name, value)))
      .sort((a, b) => this.#compareRows(a, b))
      .map(({ values }) => values)
  }

  /** Dates stand for the beginning of their day where the workspace is. */
  #momentOf(name: string, value: unknown): unknown {
    if (this.#typeOf(name.replace(/(After|Before)$/, '')) !== 'instant' && this.#typeOf(name) !== 'instant')
      return value
    const text = String(value)
    const isDate = text.length === 'YYYY-MM-DD'.length
    const ms = isDate ? Date.parse(`${text}T00:00:00Z`) - this.#offset * 3_600_000 : Date.parse(text)
    return new Date(ms).toISOString()
  }

  #isAskable(asked: Values): boolean {
    return Object.entries(asked).every(([name, value]) => {
      const { current = {} } = this.#definition
      const values = Object.hasOwn(current, name) ? current[name] : undefined
      if (this.#typeOf(name) === 'choice' && values !== undefined) return values.includes(value as string)
      const until = name.endsWith('After') ? asked[name.replace(/After$/, 'Before')] : undefined
      return until === undefined || String(value) < String(until)
    })
  }

  #matches(values: Values, name: string, asked: unknown): boolean {
    if (name === 'ids') return (asked as string[]).includes(String(values.id))
    if (name === 'query') return this.#hasWords(values, String(asked))
    const range = /^(.+)(After|Before)$/.exec(name)
    if (range === null) return this.#isEqual(name, values[name], asked)
    const value = values[range[1] as string]
    if (value === null) return false
    return range[2] === 'After' ? String(value) >= String(asked) : String(value) < String(asked)
  }

  #hasWords(values: Values, query: string): boolean {
    const texts = (this.#definition.search ?? []).map((field) => foldCase(String(values[field] ?? '')))
    return foldCase(query)
      .split(' ')
      .every((word) => texts.some((text) => text.includes(word)))
  }

  #isEqual(field: string, value: unknown, asked: unknown): boolean {
    if (value === null) return false
    const type = this.#typeOf(field)
    if (type === 'email') return String(value).toLowerCase() === String(asked).toLowerCase()
    if (type === 'decimal' || type === 'money') return numberOf(String(value)) === numberOf(String(asked))
    return value === asked
  }

  #compareRows(a: ModelRow, b: ModelRow): number {
    for (const field of this.#definition.order ?? []) {
      const difference = this.#compare(field, a.values[field], b.values[field])
      if (difference !== 0) return difference
    }
    return a.seq - b.seq
  }

  /** Null comes last, and texts are in the order of their bytes. */
  #compare(field: string, a: unknown, b: unknown): number {
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const type = this.#typeOf(field)
    if (type === 'decimal' || type === 'money') return Number(numberOf(String(a)) - numberOf(String(b)))
    if (typeof a !== 'string') return Number(a) - Number(b)
    return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  }
}
