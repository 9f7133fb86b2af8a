import { indexesOf, indexName, type List, type Range, windowConditions } from '../keyset.ts'
import { type Condition, candidateChecks, type Narrowing, narrowed, OPERATORS, windowOf } from '../narrowing.ts'
import type { PageReading, PageRequest, Read, SqliteReads, SqliteRow } from '../queries.ts'
import { questionsOf } from '../questions.ts'
import { type Kind, quoted, quotedColumn, type SchemaObject } from '../table.ts'
import { expirySchema, hasPassed, isUnhidden, orderedSql, UNLIMITED, unmarkedRows } from './expiry.ts'
import { objectSql, orderSql, parameterOf, positionSql, rangeSql, wholeSql } from './list.ts'
import { type ListSql, pageReader } from './page.ts'
import type { QuestionedList } from './questions.ts'
import { sortKey } from './sort-key.ts'

/** Holds for every row in the indexes of the list, in the words of the indexes. */
const indexed = ({ only = [], expiry }: List) => [...only, ...(expiry === undefined ? [] : [isUnhidden(expiry)])]

/** The index without a filter stores whole rows, so that the first page is read from neighbouring pages of the file. */
export const listIndexes = (list: List): SchemaObject[] => {
  const { table, expiry, onlyBy = [] } = list
  const where = indexed(list).join(' AND ')
  // Read by queries, so that they find everything in the index.
  const last = [...onlyBy, ...(expiry === undefined ? [] : [expiry.instant, expiry.mark])]
  return [
    ...indexesOf(list).map(({ name, filter, order }): SchemaObject => {
      const [first, whole] = filter === undefined ? [[], [objectSql(table)]] : [[comparedSql(list, filter)], []]
      const columns = ['workspace_id', ...first, orderSql(order), ...last, ...whole].join(', ')
      return {
        kind: 'index',
        name,
        sql: `CREATE INDEX ${name} ON ${quoted(table.name)} (${columns})${where && `\n  WHERE ${where}`}`,
      }
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

const conditionValues = ({ filter, bounds, checks }: Narrowing): SqliteRow =>
  Object.fromEntries(
    [...(filter === undefined ? [] : [filter]), ...bounds, ...checks].map(({ argument, value }) => [
      `filter_${argument}`,
      typeof value === 'boolean' ? Number(value) : value,
    ]),
  )

const checksSql = (list: List, { checks }: Narrowing): string =>
  checks.map((condition) => conditionSql(list, condition)).join(' AND ')

/** Whichever way rows are found. */
function conditionsSql(list: List, { filter, bounds, checks }: Narrowing): string {
  const { only = [], expiry } = list
  const all = [...(filter === undefined ? [] : [filter]), ...bounds, ...checks]
  return [
    'workspace_id = :workspace',
    ...only,
    ...(expiry === undefined ? [] : [hasPassed(expiry)]),
    ...all.map((condition) => conditionSql(list, condition)),
  ].join(' AND ')
}

/** The index of a nullable column seeks by whether it is null first. */
const isNullable = ({ table: { columns } }: List, [bound]: readonly Condition[]) =>
  bound !== undefined && columns[bound.field]?.isNullable === true

function fromSql(list: List, filter: string | undefined): string {
  const { table, expiry } = list
  const conditions = [
    'workspace_id = :workspace',
    ...indexed(list),
    ...(expiry === undefined ? [] : [hasPassed(expiry)]),
  ]
  return `FROM ${quoted(table.name)} INDEXED BY ${indexName(list, filter)} WHERE ${conditions.join(' AND ')}`
}

/** In no order. Undefined if no check has an index. */
function candidatesSql(list: List, narrowing: Narrowing, isMerged: boolean): string | undefined {
  const checks = candidateChecks(list, narrowing)
  if (checks.length === 0) return undefined
  const conditions = checks.map((check) => ` AND ${conditionSql(list, check)}`).join('')
  const inIndex = `SELECT seq ${fromSql(list, checks[0]?.field)}${conditions}`
  return isMerged && list.expiry !== undefined
    ? `${inIndex} UNION ALL SELECT seq ${unmarkedRows(list.expiry)}${conditions}`
    : inIndex
}

type Select = (columns: string, range: Range, limit: string) => string

/** In order, without the checks. */
function selectOf(list: List, { filter, bounds, order }: Narrowing, isMerged: boolean): Select {
  const { expiry } = list
  const from = fromSql(list, filter?.field)
  const window = windowOf(bounds, parameterFor)
  const narrowing = [
    ...(filter === undefined ? [] : [conditionSql(list, filter)]),
    ...(window === undefined || !isNullable(list, bounds) ? [] : [`(${window.column} IS NULL) = 0`]),
  ]
  return (columns, range, limit) => {
    const all = [...narrowing, ...windowConditions(window, range, `:${parameterOf(0)}`)]
    const narrowedBy = all.map((condition) => ` AND ${condition}`).join('') + rangeSql(order, range)
    return orderedSql(order, { columns, from, conditions: narrowedBy, range, limit }, isMerged ? expiry : undefined)
  }
}

/** Exported for the test that asks SQLite for its plan. */
export function listSql(
  list: List,
  page: PageRequest,
  isMerged = false,
  narrowing = narrowed(list, page.filters),
): ListSql {
  const { filters, fields, maxText } = page
  const select = selectOf(list, narrowing, isMerged)
  const isStored = fields === undefined && narrowing.filter === undefined
  const object = isStored ? wholeSql(list.table, maxText) : objectSql(list.table, fields, maxText)
  return {
    key: `${isMerged} ${Object.keys(filters).sort()} ${fields ?? ''} ${maxText ?? ''}`,
    rows: (range, limit) => select(`${object} AS _object`, range, limit),
    positions: (range, limit) => select(positionSql(narrowing.order), range, limit),
  }
}

export const listReader = (list: List, engine: SqliteReads): Read<PageRequest, PageReading> =>
  pageReader(
    {
      table: list.table.name,
      ...(list.expiry && { expiry: list.expiry }),
      open(page) {
        const narrowing = narrowed(list, page.filters)
        return {
          order: narrowing.order,
          values: conditionValues(narrowing),
          sql: (isMerged) => listSql(list, page, isMerged, narrowing),
        }
      },
    },
    engine,
  )

/** Values of a filter, in the order of its index. */
const nearValues = (list: List, field: string) => ({
  value: comparedSql(list, field),
  from: fromSql(list, field),
})

export const questionedList = (list: List): QuestionedList => ({
  ...questionsOf(list),
  ...(list.expiry && { expiry: list.expiry }),
  open(_, { workspace, now }, { filters }, { until, unmarked }) {
    const narrowing = narrowed(list, filters)
    const select = selectOf(list, narrowing, unmarked > 0)
    const candidates = candidatesSql(list, narrowing, unmarked > 0)
    return {
      order: narrowing.order,
      select: (columns, range) => select(columns, range, UNLIMITED),
      conditions: conditionsSql(list, narrowing),
      ...(narrowing.checks.length > 0 && { checks: checksSql(list, narrowing) }),
      ...(candidates !== undefined && { candidates }),
      values: { ...conditionValues(narrowing), workspace, ...(list.expiry && { now }) },
      until,
    }
  },
  indexed: Object.fromEntries(Object.keys(questionsOf(list).suggests).map((field) => [field, nearValues(list, field)])),
})
