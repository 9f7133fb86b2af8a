import type { ColumnReader, RawRow, RawValue, Table, TableColumn } from '../../database/in-place/table-database.ts'
import { columnOf } from '../../database/statements.ts'
import { checker, unstorable } from '../../lib/checker.ts'
import { type Fault, fault } from '../../lib/fault.ts'
import { clip } from '../../lib/plain-text.ts'
import type { Row, Value } from '../column.ts'
import type { List, ListField, RowsInPlace } from '../definition.ts'
import { limitedField } from '../json-field.ts'
import { SEPARATOR, sortKeyOf } from '../sort-key.ts'
import { SourceUnavailable } from './unavailable.ts'

/** How the fields of a list read the columns of its table. */
export interface Binding {
  table: Table
  fields: readonly BoundField[]
  id: TableColumn
  /** Undefined if all rows belong to one workspace. */
  workspace: TableColumn | undefined
}

interface BoundField extends ListField {
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
  const bound = list.fields.map((field) => ({ field, column: columns.get(columnFor(rows, field.name, table)) }))
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
            : workspace.problemAs('choice') && 'must be a column of texts',
        )),
  ]
  const id = columns.get(columnFor(rows, 'id', table))
  if (faults.length > 0 || id === undefined) return faults
  const fields = bound.flatMap(({ field, column }) =>
    column === undefined ? [] : { ...field, reader: column.readAs(field.kind), problemOf: problemsOf(field) },
  )
  return { table, fields, id, workspace }
}

function problemsOf(field: ListField): BoundField['problemOf'] {
  const { name, isNullable, default: preset } = field
  const check = checker(limitedField(field, !isNullable))
  return (value) => {
    if (value === null) return isNullable || preset !== undefined ? undefined : 'is null, and the field is not nullable'
    return [...check(value), ...unstorable({ [name]: value }, [name])][0]?.problem
  }
}

/** The select list names columns by the position of their field. */
const rawOf = (raw: RawRow, position: number): RawValue => raw[`f${position}`] ?? null

/** Throws SourceUnavailable for a row that does not fit the definition. */
export type ReadTableRow = (raw: RawRow) => ReadRow

export interface ReadRow {
  row: Row
  /** Its place in the list: the order, and then the id. */
  key: string
}

export function createRowReader(list: List, { fields, id }: Binding): ReadTableRow {
  const idAt = fields.findIndex(({ name }) => name === 'id')
  const sortedBy = list.order.flatMap(({ name }) => {
    const position = fields.findIndex((field) => field.name === name)
    const sorted = fields[position]?.reader.sortedBy
    return sorted === undefined ? [] : { name, position, sorted }
  })
  return (raw) => {
    const row: Row = {}
    for (const [position, { name, reader, problemOf }] of fields.entries()) {
      const given = rawOf(raw, position)
      const value = given === null ? null : reader.valueOf(given)
      const problem = value === undefined ? 'has a value of another type' : problemOf(value)
      if (value === undefined || problem !== undefined)
        throw new SourceUnavailable(list.name, `a row does not fit the definition: ${name} ${problem}`, {
          row: shownId(rawOf(raw, idAt)),
          field: name,
        })
      row[name] = value
    }
    const sorted = { ...row }
    for (const { name, position, sorted: sortedValue } of sortedBy)
      if (row[name] !== null) sorted[name] = sortedValue(rawOf(raw, position))
    const tie = sortKeyOf([{ name: 'id', kind: id.tie.kindOf(rawOf(raw, idAt)) }], row)
    return { row, key: [...(list.order.length > 0 ? [sortKeyOf(list.order, sorted)] : []), tie].join(SEPARATOR) }
  }
}

const MAX_SHOWN_ID = 100

const shownId = (raw: RawValue): string => clip(String(raw), MAX_SHOWN_ID)
