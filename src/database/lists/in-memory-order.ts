import { scaledDecimal } from '../../lib/decimal.ts'
import { isDecimalKind } from '../../lists/column.ts'
import type { Position } from '../../lists/query.ts'
import type { OrderColumn } from './keyset.ts'

/** Sort keys compare as in both databases: nulls last, texts by code points. */
export type SortKey = readonly (string | number | bigint | null)[]

/** Converted once, because sorting compares each position many times. */
const sortKeyOf = (order: readonly OrderColumn[], position: Position): SortKey =>
  order.map(({ kind }, i) => {
    const value = position[i] ?? null
    if (value === null || kind === 'instant') return value
    if (isDecimalKind({ kind })) return scaledDecimal(String(value))
    if (kind !== 'integer') return byCodePoints(String(value))
    return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)
  })

/** Strings are compared by UTF-16 units, which puts some letters before others that both databases put first. */
export const byCodePoints = (text: string): string =>
  NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
const NOT_ASCII = /[^\0-\x7f]/

export function compareKeys(a: SortKey, b: SortKey): number {
  for (let i = 0; i < a.length; i++) {
    const left = a[i] ?? null
    const right = b[i] ?? null
    if (left === right) continue
    if (left === null || right === null) return left === null ? 1 : -1
    return left < right ? -1 : 1
  }
  return 0
}

/** Sorting all rows at once would stall other requests. */
const SORTED_AT_ONCE = 1000

export async function sortedByPosition<T extends { position: Position }>(
  order: readonly OrderColumn[],
  rows: readonly T[],
  pause: () => Promise<void>,
): Promise<T[]> {
  let sorted: { one: T; key: SortKey }[] = []
  for (let i = 0; i < rows.length; i += SORTED_AT_ONCE) {
    const next = rows.slice(i, i + SORTED_AT_ONCE).map((one) => ({ one, key: sortKeyOf(order, one.position) }))
    // The sorted part is recognised as such, and is only merged.
    sorted = [...sorted, ...next].sort((a, b) => compareKeys(a.key, b.key))
    await pause()
  }
  return sorted.map(({ one }) => one)
}

export function positionsAfter(order: readonly OrderColumn[], positions: readonly Position[], after: Position) {
  const last = sortKeyOf(order, after)
  return positions.filter((position) => compareKeys(sortKeyOf(order, position), last) > 0)
}
