import type { List } from '../keyset.ts'
import { narrowed } from '../narrowing.ts'
import { questionsOf } from '../questions.ts'
import { UNLIMITED } from './expiry.ts'
import { checksSql, conditionsSql, conditionValues, nearValues, selectOf } from './list-pages.ts'
import type { QuestionedList } from './questions.ts'

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  ...(list.expiry && { expiry: list.expiry }),
  open(_, { workspace, now }, { filters }, { until, unmarked }) {
    const narrowing = narrowed(list, filters)
    const select = selectOf(list, narrowing, unmarked > 0)
    return {
      order: narrowing.order,
      select: (columns, range) => select(columns, range, UNLIMITED),
      conditions: conditionsSql(list, narrowing),
      ...(narrowing.checks.length > 0 && { checks: checksSql(list, narrowing) }),
      values: { ...conditionValues(narrowing), workspace, ...(list.expiry && { now }) },
      until,
    }
  },
  indexed: Object.fromEntries(Object.keys(questionsOf(list).suggests).map((field) => [field, nearValues(list, field)])),
})
