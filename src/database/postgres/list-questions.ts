import { filtersIn, type List, orderOf } from '../keyset.ts'
import { questionsOf } from '../questions.ts'
import { quotedColumn } from '../table.ts'
import type { QuestionedList } from './questions.ts'

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  open(asked, bind) {
    const filters = filtersIn(list, { filters: asked })
    const conditions = filters.map(({ field, value }) => `${quotedColumn(field)} = ${bind(value)}`)
    return {
      order: orderOf(list, filters),
      // Every parameter must be used.
      sources: [['workspace_id = $1', '$2::text IS NOT NULL', ...conditions]],
      inRange: () => [],
      until: 'NULL',
    }
  },
  indexed: Object.fromEntries(
    Object.keys(questionsOf(list).suggests).map((field) => [
      field,
      { value: `${quotedColumn(field)}`, conditions: 'workspace_id = $1' },
    ]),
  ),
})
