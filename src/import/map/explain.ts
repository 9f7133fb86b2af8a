import { importedColumns, type Table } from '../../database/table.ts'
import { feedOf } from './check-map.ts'
import type { RecordMap } from './load-map.ts'
import type { MapReport } from './report.ts'

/** What a map found in a file, source by source, line by line. */
export function explainMap({ name, file }: RecordMap, table: Table, report: MapReport): string[] {
  const columns = importedColumns(table)
  const defaults = columns.flatMap(({ field, default: preset }) => {
    const feed = Object.hasOwn(file.fields, field) ? feedOf(file.fields[field] ?? '') : undefined
    const value = feed?.default ?? preset
    return value === undefined ? [] : [[field, String(value)] as const]
  })
  return report.lines(
    name,
    columns.map(({ field }) => field),
    new Map(defaults),
  )
}
