import { nearest } from '../lib/nearest.ts'
import type { Row } from './column.ts'
import type { List } from './definition.ts'
import type { ListRows } from './rows.ts'

/** Comparing takes long, so only some values are: those of the first rows, and those next to the given one in alphabetical order. */
const FIRST_ROWS = 1000
const BESIDE = 100

/** Up to ten values of the list that are nearest to one that a filter did not find. */
export async function readSuggestions(list: List, rows: ListRows, filter: string, value: string): Promise<string[]> {
  const fields = list.suggests[filter] ?? []
  const first = new Set<string>()
  const all = new Set<string>()
  let read = 0
  for await (const some of rows.walk({}))
    for (const { body } of some) {
      const row = JSON.parse(body) as Row
      read++
      for (const field of fields) {
        const found = row[field] ?? null
        if (found === null) continue
        all.add(String(found))
        if (read <= FIRST_ROWS) first.add(String(found))
      }
    }
  const sorted = [...all].sort()
  const at = sorted.findIndex((one) => one >= value)
  const middle = at < 0 ? sorted.length : at
  return nearest(value, [...first, ...sorted.slice(Math.max(0, middle - BESIDE), middle + BESIDE)])
}
