import { filtersIn, type List, orderOf } from '../keyset.ts'
import { questionsOf } from '../questions.ts'
import { quoted, quotedColumn } from '../table.ts'
import { filteredSql, filterValues, rowsSql } from './list.ts'
import type { QuestionedList } from './questions.ts'

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  open(_, { workspace }, page) {
    const filters = filtersIn(list, page)
    return {
      order: orderOf(list, filters),
      select: (columns, range) => `SELECT ${columns} ${rowsSql(list, filters, range, '')}`,
      conditions: filteredSql(filters),
      values: { ...filterValues(filters), workspace },
      until: Number.POSITIVE_INFINITY,
    }
  },
  indexed: Object.fromEntries(
    Object.keys(questionsOf(list).suggests).map((field) => {
      const value = quotedColumn(field)
      return [field, { value, from: `FROM ${quoted(list.table.name)} WHERE workspace_id = :workspace` }]
    }),
  ),
})
