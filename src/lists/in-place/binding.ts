import type { ColumnReader, RawRow, RawValue, Table, TableColumn } from '../../database/in-place/table-database.ts'
import { columnOf } from '../../database/statements.ts'
import { checker } from '../../lib/checker.ts'
import { type Fault, fault } from '../../lib/fault.ts'
import { clip, isPlainText, NOT_PLAIN } from '../../lib/plain-text.ts'
import type { Row, Value } from '../column.ts'
import type { List, ListField, RowsInPlace } from '../definition.ts'
import { limitedField } from '../json-field.ts'
import { keyOf, SEPARATOR } from '../sort-key.ts'
import { SourceUnavailable } from './unavailable.ts'

/** How the fields of a list read the columns of its table. */
export interface Binding {
  table: Table
  fields: readonly BoundField[]
  /** Ties are by the time of creation, if the table has it, and by the id. */
  order: readonly BoundField[]
  id: BoundField
  idColumn: TableColumn
  /** Undefined if all rows belong to one workspace. */
  workspace: TableColumn | undefined
}

interface BoundField extends ListField {
  position: number
  reader: ColumnReader
  /** Undefined for a value that fits. */
  problemOf(value: Value): string | undefined
}

/** By default the field in snake case, or else its own name. */
const columnFor = (rows: RowsInPlace, field: string, { columns }: Table): string =>
  rows.columns?.[field] ?? (columns.has(columnOf(field)) ? columnOf(field) : field)

/** The faults are by field, or by member of `rows`. */
export function bind(list: List, rows: RowsInPlace, table: Table): Binding | Fault[] {
  const { columns } = table
  const bound = list.fields
    .map((field) => ({ field, column: columns.get(columnFor(rows, field.name, table)) }))
    // What is not shown, such as the state of a task, works only where the table has it.
    .filter(
      ({ field, column }) => field.isPublished || column !== undefined || rows.columns?.[field.name] !== undefined,
    )
  const workspace = rows.workspaceColumn === undefined ? undefined : columns.get(rows.workspaceColumn)
  const missing = (name: string) => `the table has no column ${JSON.stringify(name)}`
  const faults = [
    ...bound.flatMap(({ field: { name, kind }, column }) => {
      if (column === undefined) return fault(name, missing(columnFor(rows, name, table)))
      const problem = column.problemAs(kind)
      return fault(name, problem && `the column ${JSON.stringify(columnFor(rows, name, table))} ${problem}`)
    }),
    ...(rows.workspaceColumn === undefined
      ? []
      : fault(
          'workspaceColumn',
          workspace === undefined
            ? missing(rows.workspaceColumn)
            : workspace.problemAs('choice') && 'must be a column of texts with a deterministic collation',
        )),
  ]
  const idColumn = columns.get(columnFor(rows, 'id', table))
  const fields = bound.flatMap(({ field, column }, position) =>
    column === undefined ? [] : { ...field, position, reader: column.readAs(field.kind), problemOf: problemsOf(field) },
  )
  const id = fields.find(({ name }) => name === 'id')
  if (faults.length > 0 || id === undefined || idColumn === undefined) return faults
  const ordered = [...list.order, ...fields.filter(({ isCreation }) => isCreation)]
  const order = ordered.flatMap(({ name }) => fields.find((field) => field.name === name) ?? [])
  return { table, fields, order, id, idColumn, workspace }
}

const isPlain = (value: Value): boolean =>
  typeof value === 'string' ? isPlainText(value) : !Array.isArray(value) || value.every(isPlain)

export function problemsOf(field: ListField): BoundField['problemOf'] {
  const { isNullable, default: preset } = field
  const check = checker(limitedField(field, !isNullable))
  return (value) => {
    if (value === null) return isNullable || preset !== undefined ? undefined : 'is null, and the field is not nullable'
    const [wrong] = check(value)
    return wrong?.problem ?? (isPlain(value) ? undefined : NOT_PLAIN)
  }
}

/** The select list names columns by the position of their field. */
const rawOf = (raw: RawRow, { position }: BoundField): RawValue => raw[`f${position}`] ?? null

/** Throws SourceUnavailable for a row that does not fit the definition. */
export type ReadTableRow = (raw: RawRow) => ReadRow

interface ReadRow {
  row: Row
  /** Its place in the list: the order, and then the id. */
  key: string
}

export function createRowReader({ name: list }: List, { fields, order, id, idColumn }: Binding): ReadTableRow {
  function valueIn(raw: RawRow, field: BoundField): Value {
    const given = rawOf(raw, field)
    const value = given === null ? null : field.reader.valueOf(given)
    const problem = value === undefined ? 'has a value of another type' : field.problemOf(value)
    if (value !== undefined && problem === undefined) return value
    const row = clip(String(rawOf(raw, id)), MAX_SHOWN_ID)
    throw new SourceUnavailable(list, `a row does not fit the definition: ${field.name} ${problem}`, {
      ...{ row, field: field.name },
    })
  }

  return (raw) => {
    const row: Row = {}
    for (const field of fields) row[field.name] = valueIn(raw, field)
    const keys = order.map((field) => {
      const { name, kind, reader } = field
      const value = row[name] ?? null
      return keyOf(kind, value === null ? null : (reader.sortedBy?.(rawOf(raw, field)) ?? value))
    })
    return { row, key: [...keys, keyOf(idColumn.tie.kindOf(rawOf(raw, id)), row.id ?? null)].join(SEPARATOR) }
  }
}

const MAX_SHOWN_ID = 100
