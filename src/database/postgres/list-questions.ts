import { type List, orderedIndexes, windowConditions } from '../keyset.ts'
import { type Condition, candidateChecks, narrowed, OPERATORS, windowOf } from '../narrowing.ts'
import { questionsOf } from '../questions.ts'
import { quoted, quotedColumn, type SchemaObject } from '../table.ts'
import { expirySchema, hasPassed, isUnhidden, isUnmarked, nextEnd } from './expiry.ts'
import { orderSql } from './list.ts'
import type { QuestionedList } from './questions.ts'
import { typeOf } from './table-schema.ts'

/** Holds for every row in the indexes of the list. */
const indexed = ({ only = [], expiry }: List) => [...only, ...(expiry === undefined ? [] : [isUnhidden(expiry)])]

export const listIndexes = (list: List): SchemaObject[] => {
  const { table, expiry } = list
  return [
    ...orderedIndexes(list, {
      on: `vitrine.${quoted(table.name)}`,
      columns: (filter, order) => [...(filter === undefined ? [] : [comparedSql(list, filter)]), orderSql(order)],
      end: expiry === undefined ? '' : ` INCLUDE (${expiry.instant}, ${expiry.mark})`,
      where: indexed(list).join(' AND '),
    }),
    ...(expiry === undefined ? [] : expirySchema(expiry)),
  ]
}

/** What a filter compares; addresses without regard to the case of ASCII letters. */
const comparedSql = ({ table: { columns } }: List, field: string): string => {
  const column = quotedColumn(field)
  return columns[field]?.kind === 'email' ? `lower(${column} COLLATE "C")` : column
}

const currentSql = (list: List) => [
  'workspace_id = $1',
  ...indexed(list),
  ...(list.expiry === undefined ? [] : [hasPassed(list.expiry)]),
]

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  ...(list.expiry && { expiry: list.expiry }),
  open(filters, bind) {
    const { only = [], expiry } = list
    const narrowing = narrowed(list, filters)
    const { filter, bounds, checks, order } = narrowing
    const candidates = candidateChecks(list, narrowing)
    const parameter = ({ kind, value }: Condition) => `${bind(value)}::${typeOf({ kind })}`
    const conditionSql = (condition: Condition) =>
      `${comparedSql(list, condition.field)} ${OPERATORS[condition.is]} ${valueSql(condition)}`
    const valueSql = (condition: Condition) =>
      condition.kind === 'email' ? `lower(${parameter(condition)} COLLATE "C")` : parameter(condition)
    const window = windowOf(bounds, parameter)
    const byFilter = filter === undefined ? [] : [conditionSql(filter)]
    const listed = ['workspace_id = $1', ...only]
    return {
      order,
      sources:
        expiry === undefined
          ? // Every parameter must be used.
            [[...listed, '$2::text IS NOT NULL', ...byFilter]]
          : [
              [...currentSql(list), ...byFilter],
              [...listed, isUnmarked(expiry), ...byFilter],
            ],
      inRange: (range, [position = '']) => windowConditions(window, range, position),
      checks: checks.map((check) => ({
        field: check.field,
        sql: conditionSql(check),
        hasIndex: candidates.includes(check),
      })),
      until: expiry === undefined ? 'NULL' : nextEnd(expiry),
    }
  },
  indexed: Object.fromEntries(
    Object.keys(questionsOf(list).suggests).map((field) => [
      field,
      { value: comparedSql(list, field), conditions: currentSql(list).join(' AND ') },
    ]),
  ),
})
