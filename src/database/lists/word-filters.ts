import { foldCase } from '../../lib/fold-case.ts'
import type { Filters } from '../../lists/query.ts'
import { columnOf } from '../table.ts'
import type { QueryableList, WordFilter } from './reader.ts'

export const searchedFields = ({ contains }: Pick<QueryableList, 'contains'>): string[] => [
  ...new Set(Object.values(contains).flat()),
]

export const wordFilters = ({ contains }: Pick<QueryableList, 'contains'>, filters: Filters): WordFilter[] =>
  Object.entries(contains).flatMap(([name, fields]) => {
    const value = filters[name]
    return value === undefined ? [] : { fields, words: [value].flat().map(String) }
  })

/** Fields are joined by a line break, which no word has. */
export function wordMatcher(filters: readonly WordFilter[]): (row: Readonly<Record<string, unknown>>) => boolean {
  const parts = filters.map(({ fields, words }) => ({ columns: fields.map(columnOf), words }))
  return (row) =>
    parts.every(({ columns, words }) => {
      const text = foldCase(columns.map((column) => row[column] ?? '').join('\n'))
      return words.every((word) => text.includes(word))
    })
}
