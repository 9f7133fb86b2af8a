import { asciiLowerCase } from '../lib/email.ts'
import { isoOf } from '../lib/instant.ts'
import { momentOf } from './changes.ts'
import type { Row } from './column.ts'
import type { List } from './definition.ts'
import { conditionOf } from './filters.ts'
import { matchesOf } from './matches.ts'
import { toTotal, untilOf } from './page.ts'
import type { CountRequest, ListCounts } from './query.ts'
import { MAX_COUNTED, MAX_GROUPS } from './query.ts'
import { type ListRows, rowIn } from './rows.ts'
import { byteKey, keyOf } from './sort-key.ts'
import { readHints } from './suggestions.ts'

type Group = ListCounts['groups'][number]

export async function readCounts(
  list: List,
  rows: ListRows,
  now: number,
  { filters, by, dateOf }: CountRequest,
): Promise<ListCounts> {
  const { due } = list
  const label = list.groupLabels?.[by]
  const at = keyOf('instant', isoOf(now))
  const groupOf = grouping(list, by, dateOf)
  const groups = new Map<string | null, Group>()
  let [matches, overdue] = [0, 0]
  for await (const some of matchesOf(rows, conditionOf(list.filters, filters))) {
    for (const listed of some.slice(0, MAX_COUNTED - matches)) {
      const row = rowIn(listed)
      const value = groupOf(row)
      const group = groups.get(value) ?? { value, count: 0, overdue: 0 }
      groups.set(value, group)
      const text = label === undefined || value === null ? null : (row[label.field] ?? null)
      if (label !== undefined && text !== null && text !== value) group[label.property] ??= String(text)
      const dueAt = due === undefined ? null : (row[due] ?? null)
      const isOverdue = Number(dueAt !== null && keyOf('instant', dueAt) < at)
      group.count++
      group.overdue += isOverdue
      overdue += isOverdue
    }
    matches += some.length
    if (matches > MAX_COUNTED) break
  }
  const total = toTotal(matches, rows)
  return {
    total,
    overdue,
    groups: largest([...groups.values()]),
    more: Math.max(0, groups.size - MAX_GROUPS),
    until: await untilOf(list, rows, now, true),
    moment: momentOf(rows, now),
    hints: await readHints(list, rows, filters, total),
  }
}

/** By the first of the fields that has a value. */
function grouping({ fields, countBy }: List, by: string, dateOf: CountRequest['dateOf']) {
  const names = countBy[by] ?? []
  const counted = names.flatMap((name) => fields.find((field) => field.name === name) ?? [])
  return (row: Row): string | null => {
    for (const { name, kind } of counted) {
      const value = row[name] ?? null
      if (value === null) continue
      if (kind === 'instant') return dateOf(String(value))
      return kind === 'email' ? asciiLowerCase(String(value)) : String(value)
    }
    return null
  }
}

/** Ties are in the order of their values, null last. */
const largest = (groups: readonly Group[]): Group[] =>
  groups
    .map((group) => ({ group, key: group.value === null ? null : byteKey(group.value) }))
    .sort((a, b) => b.group.count - a.group.count || (a.key === null ? 1 : b.key === null || a.key < b.key ? -1 : 1))
    .slice(0, MAX_GROUPS)
    .map(({ group }) => group)
