/**
 * The order of a list as one text. Two rows are in the order of their sort keys, compared byte by byte, so both databases sort by
 * one column and know nothing about fields. Nulls come last, and texts are in the order of their code points.
 *
 *   instant, date   as they are, from the year on; an instant without its Z, so that more digits come later
 *   boolean         0 or 1
 *   numbers         `p`, the length of the whole part in two digits, and all digits but trailing zeros, so 1.5 and 1.50 are equal.
 *                   A negative one has `n`, the complement of each digit, and a `~`, because -1.51 comes before -1.5
 *   texts           `=` and the text
 *   null            `~`, which comes after each of these
 *
 * The parts are joined by U+0001, which comes before any character of a text: U+0001 and U+0002 in texts are escaped by U+0002.
 */
import { isDecimalKind, type Kind, type Row, type Value } from './column.ts'
import type { Place } from './query.ts'

export const SEPARATOR = '\u0001'
const ESCAPE = '\u0002'
const NULL = '~'

/** The order of a field with the given kind. Values that do not fit it get a key, too: a definition may have changed. */
export function keyOf(kind: Kind, value: Value): string {
  if (value === null) return NULL
  const text = String(value)
  if (kind === 'instant') return text.replace('Z', '')
  if (kind === 'date') return text
  if (kind === 'boolean') return value === true ? '1' : '0'
  if (kind === 'integer' || isDecimalKind({ kind })) return numberKey(text)
  return `=${text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(SEPARATOR, ESCAPE + SEPARATOR)}`
}

function numberKey(text: string): string {
  const isNegative = text.startsWith('-')
  const [whole = '', places = ''] = text.slice(isNegative ? 1 : 0).split('.')
  const digits = String(whole.length).padStart(2, '0') + whole + places.replace(/0+$/, '')
  return isNegative ? `n${digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}~` : `p${digits}`
}

export const sortKeyOf = (order: readonly { name: string; kind: Kind }[], row: Row): string =>
  order.map(({ name, kind }) => keyOf(kind, row[name] ?? null)).join(SEPARATOR)

/** JavaScript compares texts by UTF-16 units, but compares these as the databases compare the given ones: by their bytes. */
export const byteKey = (text: string): string => (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text)
const NOT_ASCII = /[^\0-\x7f]/

/** A row's place among others that are sorted here, and not by a database. */
export interface Placed {
  id: string
  place: Place
  /** Compares as the sort key does in a database. */
  key: string
}

export const placed = (id: string, place: Place): Placed => ({ id, place, key: byteKey(place[0]) })

export const byPlace = (a: Pick<Placed, 'place' | 'key'>, b: Pick<Placed, 'place' | 'key'>) =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : a.place[1] - b.place[1]
