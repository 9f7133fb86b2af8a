import type { Definition, FieldType } from '../../src/resources/declared/definition.ts'

/** What a list must contain, only by the contract's rules: plain rows in memory, without any query. */

type Values = Readonly<Record<string, unknown>>

/** As in a definition. A field without a type has values that are compared as they are. */
interface Rules {
  readonly fields: Readonly<Record<string, { readonly type: FieldType }>>
  readonly current?: Readonly<Record<string, 'past' | readonly (string | boolean)[]>>
  readonly order?: readonly string[]
  readonly search?: readonly string[]
}

/** The current rows that match, in order, of all rows in the order of their creation. */
export const listed = <Row extends Values>(rules: Rules, rows: readonly Row[], asked: Values, now: number): Row[] =>
  rows
    .filter((row) => isCurrent(rules, row, now))
    .filter((row) => Object.entries(asked).every(([name, value]) => matches(rules, row, name, value)))
    .sort((a, b) =>
      (rules.order ?? []).reduce((so, field) => so || compare(rules.fields[field]?.type, a[field], b[field]), 0),
    )

const taskRules: Rules = {
  fields: { dueAt: { type: 'instant' }, assigneeEmail: { type: 'email' } },
  current: { status: ['open'], snoozedUntil: 'past' },
  order: ['dueAt'],
  search: ['title', 'details', 'bookKey', 'assigneeName', 'sourceTitle', 'sourceSummary'],
}

/** The same of tasks, which have filters of their own. */
export function listedTasks<Task extends Values>(all: readonly Task[], asked: Values, now: number): Task[] {
  const { assignee, unassigned, undated, workspaceWide, ...others } = asked
  const filters = Object.entries(others).map(([name, value]) => [name.replace(/^due(?=After|Before)/, 'dueAt'), value])
  return listed(taskRules, all, Object.fromEntries(filters), now).filter(
    (task) =>
      (assignee === undefined || isAssignedTo(task, String(assignee))) &&
      (unassigned === undefined || (task.assigneeName === null && task.assigneeEmail === null)) &&
      (undated === undefined || task.dueAt === null) &&
      (workspaceWide === undefined || task.bookKey === null),
  )
}

const isAssignedTo = ({ assigneeName, assigneeEmail }: Values, person: string) =>
  person.includes('@') ? isEqual('email', assigneeEmail, person) : isPart(person, assigneeName)

function isCurrent({ current = {} }: Rules, row: Values, now: number): boolean {
  return Object.entries(current).every(([field, condition]) => {
    const value = row[field]
    if (condition === 'past') return value === null || Date.parse(value as string) <= now
    return condition.includes(value as string)
  })
}

function matches({ fields, search = [] }: Rules, row: Values, name: string, asked: unknown): boolean {
  if (name === 'ids') return (asked as string[]).includes(String(row.id))
  if (name === 'query')
    return wordsIn(asked as string | string[]).every((word) => search.some((field) => isPart(word, row[field])))
  const [, ranged, side] = /^(.+)(After|Before)$/.exec(name) ?? []
  const field = ranged ?? name
  const [type, value] = [fields[field]?.type, row[field]]
  if (value === null) return false
  if (side === undefined) return isEqual(type, value, asked)
  return side === 'After' ? compare(type, value, asked) >= 0 : compare(type, value, asked) < 0
}

const SPELLINGS = ['łl', 'øo', 'đd', 'ðd', 'ħh', 'ŧt', 'ςσ', 'ıi', 'ßss', 'æae', 'œoe', 'þth']

/** Independent of the service's own folding: each character by itself. */
function foldedWords(text: string): string {
  const folded = [...text.normalize('NFKD')].map((character) => {
    if (character >= '\u0300' && character <= '\u036f') return ''
    const letter = character.toLowerCase()
    const plain = SPELLINGS.find((spelling) => spelling.startsWith(letter))?.slice(letter.length) ?? letter
    return /^[\p{L}\p{M}\p{N}]*$/u.test(plain) ? plain : ' '
  })
  return folded.join('').normalize('NFC').split(' ').filter(Boolean).join(' ')
}

/** As a client sends them, or as a list is asked for them. */
function wordsIn(query: string | readonly string[]): readonly string[] {
  if (typeof query !== 'string') return query
  // Every second part is in quotes.
  const parts = query.split('"').map(foldedWords)
  return parts.flatMap((part, i) => (i % 2 === 1 ? part : part.split(' '))).filter(Boolean)
}

/** The part is folded. */
const isPart = (part: string, value: unknown) => foldedWords(String(value ?? '')).includes(part)

function isEqual(type: FieldType | undefined, value: unknown, asked: unknown): boolean {
  if (type === 'email') return String(value).toLowerCase() === String(asked).toLowerCase()
  return type === 'decimal' || type === 'money' ? compare(type, value, asked) === 0 : value === asked
}

/** Null comes last, and texts are in the order of their bytes. */
function compare(type: FieldType | undefined, a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (type === 'decimal' || type === 'money') return Number(numberOf(String(a)) - numberOf(String(b)))
  if (typeof a !== 'string') return Number(a) - Number(b)
  const [one, other] = type === 'instant' ? [microseconds(a), microseconds(String(b))] : [a, String(b)]
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

const PLACES = 18
/** Without Number, which would round. */
function numberOf(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.')
  return BigInt(whole + places.padEnd(PLACES, '0'))
}

/** Other programs may have stored an instant in more digits. */
const microseconds = (instant: string) => instant.replace('Z', '').padEnd('2026-11-15T12:00:00.000000'.length, '0')

/** The rows with each value: the most rows first, then in the order of the values. */
export const groupsOf = <Row>(rows: readonly Row[], keyOf: (row: Row) => string | null) =>
  [...Map.groupBy(rows, keyOf)].sort(([a, some], [b, others]) => others.length - some.length || compare('text', a, b))

interface ModelRow {
  id: string
  source: string | null
  values: Values
}

/** A declared list, and what changes it. */
export class ListModel {
  readonly #definition: Definition
  /** Hours ahead of UTC. */
  readonly #offset: number
  #rows: ModelRow[] = []

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
    else this.#rows.push({ id: String(record.id), source, values })
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

  /** All of them, in order. Undefined if the query is invalid. */
  matching(question: Values, now: number): Values[] | undefined {
    const asked = Object.fromEntries(
      Object.entries(question).map(([name, value]) => [name, this.#momentOf(name, value)]),
    )
    if (!this.#isAskable(asked)) return undefined
    const rows = this.#rows.map(({ values }) => values)
    return listed(this.#definition, rows, asked, now)
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
      if (name === 'query' && foldedWords(String(value)) === '') return false
      const values = Object.hasOwn(current, name) ? current[name] : undefined
      if (this.#typeOf(name) === 'choice' && values !== undefined) return values.includes(value as string)
      const until = name.endsWith('After') ? asked[name.replace(/After$/, 'Before')] : undefined
      return until === undefined || String(value) < String(until)
    })
  }
}
