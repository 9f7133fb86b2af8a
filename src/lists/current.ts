import { isoOf } from '../lib/instant.ts'
import type { Row } from './column.ts'

/** Which rows a list contains, by field: the values of a choice or boolean, or those whose instant is null or has passed. */
export type Current = Readonly<Record<string, readonly (string | boolean)[] | 'past'>>

/** False for a row that the list never shows as it is, whatever the time. */
export const mayBeShown = (current: Current, row: Row): boolean => unmetCondition(current, row) === undefined

/** When the list begins to show a row that it may show, in milliseconds; null if it always has. */
export function shownFrom(current: Current, row: Row): number | null {
  const instant = hidingInstant(current, row)
  return instant === null ? null : Date.parse(instant)
}

/** Such as `completed` or `snoozed until …`; undefined for a current row. */
export function reasonNotCurrent(
  { current, hiding = 'hidden' }: { current: Current; hiding?: string },
  row: Row,
  nowMs: number,
): string | undefined {
  const field = unmetCondition(current, row)
  if (field !== undefined) {
    const value = row[field] ?? null
    return typeof value === 'string' ? value : `${field} ${value}`
  }
  const instant = hidingInstant(current, row)
  return instant !== null && instant > isoOf(nowMs) ? `${hiding} until ${instant}` : undefined
}

const unmetCondition = (current: Current, row: Row): string | undefined =>
  Object.keys(current).find((field) => {
    const values = current[field]
    return values !== 'past' && !values?.some((value) => value === row[field])
  })

function hidingInstant(current: Current, row: Row): string | null {
  const field = Object.keys(current).find((one) => current[one] === 'past')
  const instant = field === undefined ? null : row[field]
  return typeof instant === 'string' ? instant : null
}
