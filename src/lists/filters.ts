import { asciiLowerCase } from '../lib/email.ts'
import { foldedWords } from '../lib/fold-case.ts'
import type { Kind, Row, Value } from './column.ts'
import type { Filters } from './query.ts'
import { keyOf } from './sort-key.ts'

/** What one argument, or all of them together, demand of a row. */
export interface RowCondition {
  /** Words or phrases that its searched texts contain, folded by foldedWords. */
  words?: readonly string[]
  ids?: readonly string[]
  /** Decides about everything else, by its published fields. */
  matches?: (row: Row) => boolean
  /** The field of which it demands only a part. */
  part?: string
  /** What `matches` implies, for a source that can skip rows: texts that its JSON contains, in whatever case ASCII letters are. */
  hints?: readonly string[]
  /** What it implies for the first field of the order, as keys: from the one and before the other. */
  from?: string
  before?: string
}

export type RowFilter = (value: Filters[string]) => RowCondition

export interface FilteredField {
  name: string
  kind: Kind
  /** Whether the list's order begins with it. */
  isFirst?: boolean
}

export const byIds: RowFilter = (value) => ({ ids: [value].flat().map(String) })

export const byWords: RowFilter = (value) => ({ words: [value].flat().map(String) })

/** In characters. SQLite refuses patterns of more than 50,000 bytes. */
const MAX_HINT = 1000

/** One of several values, too. 1.5 equals 1.50, and addresses may differ in the case of ASCII letters. */
export const equalTo =
  ({ name, kind }: FilteredField): RowFilter =>
  (value) => {
    const keyIn = (one: Value) => (kind === 'email' ? asciiLowerCase(String(one)) : keyOf(kind, one))
    const [first, ...others] = [value].flat()
    const keys = new Set([value].flat().map(keyIn))
    const hasOneForm = others.length === 0 && kind !== 'decimal' && kind !== 'money'
    return {
      matches: (row) => row[name] !== null && keys.has(keyIn(row[name] ?? null)),
      ...(hasOneForm && { hints: [[...`"${name}":${JSON.stringify(first)}`].slice(0, MAX_HINT).join('')] }),
    }
  }

/** Only for instants and dates, whose keys JavaScript compares as the databases do. */
export const notBefore =
  ({ name, kind, isFirst }: FilteredField): RowFilter =>
  (value) => {
    const from = keyOf(kind, value)
    return {
      matches: (row) => row[name] !== null && keyOf(kind, row[name] ?? null) >= from,
      ...(isFirst && { from, before: keyOf(kind, null) }),
    }
  }

export const before =
  ({ name, kind, isFirst }: FilteredField): RowFilter =>
  (value) => {
    const end = keyOf(kind, value)
    return {
      matches: (row) => row[name] !== null && keyOf(kind, row[name] ?? null) < end,
      ...(isFirst && { before: end }),
    }
  }

export const withoutValue =
  (...fields: readonly FilteredField[]): RowFilter =>
  () => ({
    matches: (row) => fields.every(({ name }) => row[name] === null),
    hints: fields.map(({ name }) => `"${name}":null`),
    ...(fields[0]?.isFirst && { from: keyOf(fields[0].kind, null) }),
  })

/** For a field that is searched: a row that contains the text in this field contains it somewhere. */
export const containedIn =
  ({ name }: FilteredField): RowFilter =>
  (value) => ({
    words: [String(value)],
    matches: (row) => row[name] !== null && foldedWords(String(row[name])).includes(String(value)),
    part: name,
  })

/** Throws for a filter that the list does not have: ignoring it would return rows that were not asked for. */
export function conditionOf(all: Readonly<Record<string, RowFilter>>, filters: Filters): RowCondition {
  const conditions = Object.entries(filters).map(([name, value]) => {
    const filter = all[name]
    if (filter === undefined) throw new Error(`there is no filter ${name}`)
    return filter(value)
  })
  return allOf(conditions)
}

function allOf(conditions: readonly RowCondition[]): RowCondition {
  const matchers = conditions.flatMap(({ matches }) => matches ?? [])
  const ids = conditions.find((one) => one.ids !== undefined)?.ids
  const from = conditions
    .flatMap((one) => one.from ?? [])
    .sort()
    .at(-1)
  const end = conditions.flatMap((one) => one.before ?? []).sort()[0]
  return {
    words: conditions.flatMap(({ words = [] }) => words),
    hints: conditions.flatMap(({ hints = [] }) => hints),
    ...(ids !== undefined && { ids }),
    ...(matchers.length > 0 && { matches: (row: Row) => matchers.every((matches) => matches(row)) }),
    ...(from !== undefined && { from }),
    ...(end !== undefined && { before: end }),
  }
}
