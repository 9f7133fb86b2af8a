import { asciiLowerCase } from '../lib/email.ts'
import { didYouMean } from '../lib/nearest.ts'
import { clip, nameError } from '../lib/plain-text.ts'
import type { List, ListField } from '../lists/definition.ts'
import { type OnlyRows, onlyIn, parseOnly } from '../lists/only.ts'

/** A limit as it is typed, such as `tasks.bookKey=home-textiles,garden; orders.status=sent`, or as JSON. Null for none. */
export type OnlyText = readonly string[] | OnlyRows | null

interface Entry {
  list: string
  field: string
  values: readonly string[]
}

const MAX_VALUES = 20
/** In characters. Addresses may have as many. */
const MAX_VALUE = 320
const MAX_SHOWN = 60
/** Of the stored JSON, which is read for each request. */
const MAX_LENGTH = 10_000

const NO_LIMIT = 'everything'

const SYNTAX =
  'must have the form LIST.FIELD=VALUE,… such as tasks.bookKey=home-textiles,garden; a comma within a value is written \\,'

/** In one spelling: sorted, without repeated values, addresses in lower case. Or the first problem. */
export function checkOnly(given: OnlyText, lists: readonly List[]): { only: OnlyRows | null } | { problem: string } {
  if (given === null || (isTyped(given) && given.length === 1 && given[0] === NO_LIMIT)) return { only: null }
  const entries = isTyped(given) ? given.flatMap((text) => text.split(BETWEEN)).map(typedEntry) : entriesIn(given)
  if (entries.length === 0 || !entries.every((entry) => entry !== undefined)) return { problem: SYNTAX }
  const only: [string, Record<string, readonly string[]>][] = []
  for (const [name, ofList] of [...Map.groupBy(entries, ({ list }) => list)].sort()) {
    const checked = checkList(name, ofList, lists)
    if (typeof checked === 'string') return { problem: checked }
    only.push([name, checked])
  }
  const limit: OnlyRows = Object.fromEntries(only)
  return JSON.stringify(limit).length > MAX_LENGTH ? { problem: 'has too many long values' } : { only: limit }
}

const isTyped = (given: readonly string[] | OnlyRows): given is readonly string[] => Array.isArray(given)

const entriesIn = (only: OnlyRows): Entry[] =>
  Object.entries(only).flatMap(([list, fields]) =>
    Object.entries(fields).map(([field, values]) => ({ list, field, values })),
  )

/** Before another list and field, unless it is escaped. */
const BETWEEN = /(?<=(?:^|[^\\])(?:\\\\)*);\s*(?=[^\s.=;,]+\.[^\s.=;,]+=)/

/** Unchecked. Empty if a part has another form. */
export function typedEntries(text: string): Entry[] {
  const entries = text.split(BETWEEN).map(typedEntry)
  return entries.every((entry) => entry !== undefined) ? entries : []
}

function typedEntry(text: string): Entry | undefined {
  const [, list, field, values = ''] = /^([^\s.=]+)\.([^\s.=]+)=(.*)$/s.exec(text.trim()) ?? []
  if (list === undefined || field === undefined) return undefined
  const separate = values.match(/(?:^|,)(?:\\[\\,]|[^,])*/g) ?? []
  return {
    list,
    field,
    values: separate.map((value) =>
      value
        .replace(/^,/, '')
        .replaceAll(/\\([\\,;])/g, '$1')
        .trim(),
    ),
  }
}

function checkList(name: string, entries: readonly Entry[], lists: readonly List[]) {
  const limited = lists.filter(({ limitedBy }) => limitedBy.length > 0)
  const list = limited.find((one) => one.name === name)
  if (list === undefined) {
    const names = limited.map((one) => one.name)
    return `there is no list ${quoted(name)}${didYouMean(name, names)}`
  }
  const [first, ...others] = new Set(entries.map(({ field }) => field))
  const field = list.fields.find((one) => one.name === first)
  if (field === undefined || !list.limitedBy.includes(field.name))
    return `${name} cannot be limited by ${quoted(first ?? '')}; use ${oneOf(list.limitedBy)}`
  if (others.length > 0) return `${name} can be limited by one field, not by both ${first} and ${others[0]}`
  const values = entries.flatMap((entry) => entry.values)
  const problem =
    values.length === 0 ? 'needs a value' : values.map((value) => valueProblem(value, field)).find(Boolean)
  if (problem !== undefined) return `${name}.${field.name} ${problem}`
  const known = [...new Set(values.map((value) => (field.kind === 'email' ? asciiLowerCase(value) : value)))].sort()
  if (known.length > MAX_VALUES)
    return `${name}.${field.name} has ${known.length} values; at most ${MAX_VALUES} are possible`
  return { [field.name]: known }
}

function valueProblem(value: string, { kind, choices }: ListField): string | undefined {
  if (value === '') return 'has an empty value'
  const fault = nameError(value, MAX_VALUE)
  if (fault !== undefined) return `has a value that ${fault}`
  if (value !== value.trim()) return 'has a value with white space at an end'
  if (kind === 'email' && !value.includes('@')) return `must be email addresses, but ${quoted(value)} is none`
  if (choices !== undefined && !choices.includes(value)) return `cannot be ${quoted(value)}; use ${oneOf(choices)}`
  return undefined
}

const quoted = (text: string) => JSON.stringify(clip(text, MAX_SHOWN))

const oneOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names)

/** As it is typed. A stored limit that cannot be read shows nothing. */
export const formatOnly = (only: OnlyRows | null): string => (only === null ? NO_LIMIT : typedOnly(only) || 'nothing')

const typedOnly = (only: OnlyRows): string =>
  entriesIn(only)
    .map(({ list, field, values }) => `${list}.${field}=${values.map(escapedValue).join(',')}`)
    .join('; ')

export const escapedValue = (value: string): string => value.replaceAll(/[\\,;]/g, '\\$&')

const MAX_NAMED = 5
const MAX_NAMED_LENGTH = 40

/** A sentence for models, who pay for each word. Empty if the limit, as it is stored, does not concern the list. */
export function onlySentence(list: List, limit: string | null): string {
  if (onlyIn(list, limit) === undefined) return ''
  const [[field, values] = ['', []]] = Object.entries(parseOnly(limit ?? '')[list.name] ?? {})
  if (values.length === 0) return `This key sees no ${list.name}.`
  const named = values.slice(0, MAX_NAMED).map((value) => JSON.stringify(clip(value, MAX_NAMED_LENGTH)))
  const more = values.length - named.length
  return `This key sees only ${list.name} whose ${field} is ${oneOf(more > 0 ? [...named, `${more} other values`] : named)}.`
}
