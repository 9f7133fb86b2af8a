import { drained, isJson, type Printable, print, printJson, printMessage, sanitize } from './output.ts'

export type PrintedColumns<Row> = Record<string, (row: Row) => Printable>

/** As a JSON array, or as a table. `ifNone` is printed instead of an empty table. */
export function printList<Row>(rows: readonly Row[], ifNone: string, columns: PrintedColumns<Row>) {
  if (isJson()) printJson(rows)
  else if (rows.length === 0) printMessage(ifNone)
  else printTable(rows, columns)
}

/** For a list that may be long: a table, or with --json one row per line. Returns the number of rows. */
export async function printSlices<Row>(
  slices: AsyncIterable<readonly Row[]> | readonly (readonly Row[])[],
  columns: PrintedColumns<Row>,
  jsonOf: (row: Row) => unknown = (row) => row,
): Promise<number> {
  let count = 0
  let widths: readonly number[] | undefined
  for await (const rows of slices) {
    if (rows.length === 0) continue
    if (isJson()) for (const row of rows) printJson(jsonOf(row))
    else widths = printTable(rows, columns, widths)
    count += rows.length
    await drained()
  }
  return count
}

/** Later slices of a table use the widths of the first one and have no header. Returns the widths. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: PrintedColumns<Row>,
  first?: readonly number[],
): readonly number[] {
  const names = Object.keys(columns)
  const lines = rows.map((row) => Object.values(columns).map((cell) => sanitize(cell(row))))
  const widths =
    first ?? names.map((name, i) => lines.reduce((max, line) => Math.max(max, line[i]?.length ?? 0), name.length))
  const padded = (line: readonly string[]) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  if (first === undefined) print(padded(names))
  print(lines.map(padded).join('\n'))
  return widths
}
