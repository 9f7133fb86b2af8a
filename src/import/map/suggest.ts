import { segmentsOf } from '../format/json-pointer.ts'
import type { RecordSchema } from '../record-schema.ts'
import { loadBuiltInMaps } from './load-map.ts'
import { columnsOfMap, type MapFile, neededColumns } from './schema.ts'
import { fold } from './values.ts'

/** Suggests the built-in map that finds all required columns and the largest share of the others. */
export async function mapHint(names: readonly string[], format: MapFile['format'], schema: RecordSchema) {
  const have = new Set(names.map(fold))
  const fitting = (await loadBuiltInMaps())
    .filter(({ file }) => file.format === format)
    .map(({ name, file }) => ({ name, share: shareFound(file, have, schema) }))
  const best = Math.max(0, ...fitting.map(({ share }) => share))
  const maps = fitting.filter(({ share }) => share === best).map(({ name }) => `--map ${name}`)
  return best === 0 ? undefined : `it looks like an export for ${maps.join(' or ')}`
}

/** The share of the map's columns that the file has; 0 if the map cannot be used. */
function shareFound(map: MapFile, have: ReadonlySet<string>, { fieldNames, requiredFields }: RecordSchema): number {
  const nameOf = (column: string) => fold(map.format === 'csv' ? column : (segmentsOf(column)[0] ?? ''))
  const isFound = (column: string) => have.has(nameOf(column))
  if (!Object.keys(map.fields).every((field) => fieldNames.includes(field))) return 0
  // A document with several arrays is recognised by them: the records, and the arrays they refer to.
  if (map.records !== undefined && map.lookups !== undefined)
    return [map.records, ...Object.values(map.lookups).map(({ records }) => records)].every(isFound) ? 1 : 0
  if (!neededColumns(map, requiredFields).every(({ columns }) => columns.some(isFound))) return 0
  const columns = new Set(columnsOfMap(map).map(nameOf))
  return columns.intersection(have).size / columns.size
}
