import type { Expiry } from '../expiry.ts'
import { indexName, type List, orderedIndexes, type Range, windowConditions } from '../keyset.ts'
import { type Condition, candidateChecks, type Narrowing, narrowed, OPERATORS, windowOf } from '../narrowing.ts'
import { questionsOf } from '../questions.ts'
import { type Kind, quoted, quotedColumn, type SchemaObject } from '../table.ts'
import { expirySchema, hasPassed, isUnhidden, orderedSql, unmarkedRows } from './expiry.ts'
import { objectSql, orderSql, parameterOf, rangeSql } from './list.ts'
import type { QuestionedList } from './questions.ts'
import { sortKey } from './sort-key.ts'

/** Holds for every row in the indexes of the list, in the words of the indexes. */
const indexed = ({ only = [], expiry }: List) => [...only, ...(expiry === undefined ? [] : [isUnhidden(expiry)])]

const passed = ({ expiry }: List) => (expiry === undefined ? [] : [hasPassed(expiry)])

/** The index without a filter stores whole rows, so that the first page is read from neighbouring pages of the file. */
export const listIndexes = (list: List): SchemaObject[] => {
  const { table, expiry, onlyBy = [] } = list
  // Read by queries, so that they find everything in the index.
  const last = [...onlyBy, ...(expiry === undefined ? [] : [expiry.instant, expiry.mark])]
  return [
    ...orderedIndexes(list, {
      on: quoted(table.name),
      columns: (filter, order) =>
        filter === undefined
          ? [orderSql(order), ...last, objectSql(table)]
          : [comparedSql(list, filter), orderSql(order), ...last],
      end: '',
      where: indexed(list).join(' AND '),
    }),
    ...(expiry === undefined ? [] : expirySchema(expiry)),
  ]
}

/** What a filter compares; addresses without regard to the case of ASCII letters. */
const comparedSql = ({ table: { columns } }: List, field: string): string =>
  keyOf(columns[field]?.kind ?? 'text', quotedColumn(field))

const keyOf = (kind: Kind, value: string) => (kind === 'email' ? `lower(${value})` : sortKey(value, kind))

/** Arguments are bound under a prefix: a field may have the name of another parameter. */
const parameterFor = ({ argument }: Condition) => `:filter_${argument}`

const conditionSql = (list: List, condition: Condition) =>
  `${comparedSql(list, condition.field)} ${OPERATORS[condition.is]} ${keyOf(condition.kind, parameterFor(condition))}`

/** The index of a nullable column seeks by whether it is null first. */
const isNullable = ({ table: { columns } }: List, [bound]: readonly Condition[]) =>
  bound !== undefined && columns[bound.field]?.isNullable === true

const joined = (conditions: readonly string[]) => conditions.map((condition) => ` AND ${condition}`).join('')

function fromSql(list: List, filter: string | undefined): string {
  const from = `FROM ${quoted(list.table.name)} INDEXED BY ${indexName(list, filter)}`
  return `${from} WHERE workspace_id = :workspace${joined([...indexed(list), ...passed(list)])}`
}

/** In order, without the checks. */
function selectOf(list: List, { filter, bounds, order }: Narrowing, merged: Expiry | undefined) {
  const from = fromSql(list, filter?.field)
  const window = windowOf(bounds, parameterFor)
  const narrowing = [
    ...(filter === undefined ? [] : [conditionSql(list, filter)]),
    ...(window === undefined || !isNullable(list, bounds) ? [] : [`(${window.column} IS NULL) = 0`]),
  ]
  return (columns: string, range: Range, limit: string): string => {
    const all = [...narrowing, ...windowConditions(window, range, `:${parameterOf(0)}`)]
    const conditions = joined(all) + rangeSql(order, range)
    return orderedSql(order, { columns, from, conditions, range, limit }, merged)
  }
}

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  ...(list.expiry && { expiry: list.expiry }),
  open(filters, isMerged) {
    const narrowing = narrowed(list, filters)
    const { filter, bounds, checks, order } = narrowing
    const all = [...(filter === undefined ? [] : [filter]), ...bounds, ...checks]
    const merged = isMerged ? list.expiry : undefined
    const sqlOf = (condition: Condition) => conditionSql(list, condition)
    return {
      order,
      select: selectOf(list, narrowing, merged),
      conditions: () =>
        `workspace_id = :workspace${joined([...(list.only ?? []), ...passed(list), ...all.map(sqlOf)])}`,
      ...(checks.length > 0 && { checks: checks.map(sqlOf).join(' AND ') }),
      candidates() {
        const named = candidateChecks(list, narrowing)
        if (named.length === 0) return undefined
        const conditions = joined(named.map(sqlOf))
        const inIndex = `SELECT seq ${fromSql(list, named[0]?.field)}${conditions}`
        return merged === undefined ? inIndex : `${inIndex} UNION ALL SELECT seq ${unmarkedRows(merged)}${conditions}`
      },
      values: Object.fromEntries(all.map(({ argument, value }) => [`filter_${argument}`, storedValue(value)])),
    }
  },
  indexed: Object.fromEntries(
    Object.keys(questionsOf(list).suggests).map((field) => [
      field,
      { value: comparedSql(list, field), from: fromSql(list, field) },
    ]),
  ),
})

const storedValue = (value: Condition['value']) => (typeof value === 'boolean' ? Number(value) : value)
