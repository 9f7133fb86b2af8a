import type { Kind } from '../../lists/column.ts'
import { type CountRequest, type ListCounts, MAX_GROUPS, type Total } from '../../lists/query.ts'
import { byCodePoints, compareKeys, type SortKey } from './in-memory-order.ts'
import type { QueryableList } from './reader.ts'

type Group = ListCounts['groups'][number]
type GroupValues = readonly (string | number | null | undefined)[]

/** Counts rows by the first of some fields that has a value. */
export class GroupCounter {
  readonly #groups = new Map<string | null, Group>()
  readonly #kinds: readonly (Kind | undefined)[]
  readonly #dateOf: CountRequest['dateOf']
  #overdue = 0

  constructor({ table: { columns } }: QueryableList, fields: readonly string[], { dateOf }: CountRequest) {
    this.#kinds = fields.map((field) => columns[field]?.kind)
    this.#dateOf = dateOf
  }

  /** `values` are those of the fields to count by. */
  add(values: GroupValues, isOverdue: boolean, count = 1): void {
    const overdue = isOverdue ? count : 0
    const value = this.#groupOf(values)
    const group = this.#groups.get(value) ?? { value, count: 0, overdue: 0 }
    this.#groups.set(value, group)
    group.count += count
    group.overdue += overdue
    this.#overdue += overdue
  }

  #groupOf(values: GroupValues): string | null {
    const at = values.findIndex((value) => value !== null && value !== undefined)
    if (at < 0) return null
    const [value, kind] = [String(values[at]), this.#kinds[at]]
    if (kind === 'instant') return this.#dateOf(value)
    // SQLite returns 0 and 1.
    if (kind === 'boolean') return String(value === '1' || value === 'true')
    return kind === 'email' ? value.toLowerCase() : value
  }

  result(total: Total, until: number): ListCounts {
    const groups = this.#largest()
    return { total, overdue: this.#overdue, groups, more: this.#groups.size - groups.length, until }
  }

  /** Sorting all of them would take long if there are many. */
  #largest(): Group[] {
    const largest: { group: Group; key: SortKey }[] = []
    for (const group of this.#groups.values()) {
      const key = [-group.count, group.value && byCodePoints(group.value)]
      let [from, to] = [0, largest.length]
      while (from < to) {
        const middle = (from + to) >> 1
        if (compareKeys(largest[middle]?.key ?? [], key) < 0) from = middle + 1
        else to = middle
      }
      largest.splice(from, 0, { group, key })
      if (largest.length > MAX_GROUPS) largest.pop()
    }
    return largest.map(({ group }) => group)
  }
}
